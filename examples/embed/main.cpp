// Grouped matmul of two groups, each with its own weight matrix; the error of an invalid call; and
// a kernel for operands in GPU memory.
#include <tessera/kernels/grouped_matmul/grouped_matmul.h>
#include <tessera/kernels/grouped_matmul/on_gpu.h>

#include <cstdint>
#include <iostream>

int main() {
  using tessera::DType;
  using tessera::Tensor;
  Tensor lhs(DType::bf16, {5, 4}), rhs(DType::bf16, {2, 4, 3}), sizes(DType::i32, {2});
  for (std::int64_t i = 0; i < lhs.elements(); ++i) lhs.set(i, 1);
  for (std::int64_t i = 0; i < rhs.elements(); ++i) rhs.set(i, i < 12 ? 1 : 2);
  sizes.set(0, 3);
  sizes.set(1, 2);

  tessera::GroupedMatmulOptions options;
  options.out_dtype = DType::f32;
  options.tiling = tessera::Tiling{.m = 8, .k = 8, .n = 8};
  const auto out = tessera::grouped_matmul(lhs, rhs, sizes, options);
  if (!out) {
    std::cerr << tessera::render(out.diags());
    return 1;
  }
  std::cout << "row 0: " << out->at(0) << ", row 4: " << out->at(12) << "\n";

  const auto refused = tessera::grouped_matmul(lhs, Tensor(DType::bf16, {2, 5, 3}), sizes, options);
  if (refused) return 1;
  std::cout << "refused: " << tessera::render(refused.diags());

  // A kernel for operands in GPU memory is compiled once. Each launch gets addresses and a stream
  // from the caller.
  const auto kernel = tessera::device_grouped_matmul(
      tessera::grouped_desc(tessera::GroupedKind::gmm, 64, 64, 64, 2));
  if (kernel)
    std::cout << "a kernel for the GPU is ready\n";
  else
    std::cout << "no GPU: " << tessera::render(kernel.diags());
  return out->at(0) == 4 && out->at(12) == 8 ? 0 : 1;
}
