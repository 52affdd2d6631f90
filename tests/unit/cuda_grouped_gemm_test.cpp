// Grouped GEMM on a GPU: the kernel for a call, its compilation, and (skipped without a GPU) its
// results in the caller's memory.
#include <gtest/gtest.h>

#include "devices/cuda/cuda_device.h"
#include "devices/cuda/lower/general.h"
#include "devices/cuda/lower/tile_config.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/compiler_log.h"
#include "devices/cuda/runtime/device_arrays.h"
#include "devices/interpreter/interpreter_device.h"
#include "kernels/grouped_gemm/on_gpu.h"
#include "kernels/inputs/fill.h"

namespace tessera::cuda {
namespace {

// A call, with an optional configuration.
struct Call {
  GroupedGemmDesc desc;
  std::optional<KernelConfig> given = {};

  KernelConfig config() const {
    return given ? *given : cuda_device().default_config({desc.product}, {}).config;
  }
};

Call large(DType type) {
  Call call;
  GroupedDesc& product = call.desc.product;
  product = grouped_desc(GroupedKind::gmm, 300, 208, 264, 5);
  product.lhs = product.rhs = type;
  product.out = DType::bf16;
  product.transpose_rhs = true;
  call.desc.adds_c = true;
  call.desc.bias = DType::f32;
  return call;
}

Call wgrad(DType type) {
  Call call = large(type);
  call.desc.product.kind = GroupedKind::tgmm;
  call.desc.product.transpose_rhs = false;
  return call;
}

std::vector<Call> fast_calls() {
  Call mixed = large(DType::e4m3), few = large(DType::bf16), f16 = large(DType::f16);
  mixed.desc.product.rhs = DType::e5m2;
  few.given = KernelConfig{{16, 64, 128}, 8, 1, {}};
  f16.desc.product.transpose_rhs = false;
  f16.desc.product.out = DType::f32;
  f16.desc.bias = DType::f16;
  return {large(DType::bf16), large(DType::e4m3), mixed, few, f16, wgrad(DType::bf16)};
}

Expected<LoweredKernel> lowered(const Call& call) {
  const KernelConfig config = call.config();
  const Expected<Program> program = grouped_gemm_program(call.desc, config);
  if (!program) return program.diags();
  return lower_any(*program, config.hints);
}

TEST(CudaGroupedGemm, calls_get_the_fast_kernel_by_the_models_configuration) {
  for (const Call& call : fast_calls()) {
    const Expected<LoweredKernel> kernel = lowered(call);
    ASSERT_TRUE(kernel) << render(kernel.diags());
    EXPECT_TRUE(kernel->tensor_core()) << kernel->note;
    EXPECT_EQ(kernel->sum_error,
              size_of(call.desc.product.lhs) == 1 ? fp8_sum_error : cut_sum_error);
  }
  Call few;
  few.desc.product = grouped_desc(GroupedKind::gmm, 4096, 7168, 4096, 256);
  EXPECT_LT(few.config().tiling.m, 64);
}

TEST(CudaGroupedGemm, scales_of_blocks_get_the_general_kernel) {
  Call call = large(DType::e4m3);
  call.desc.block_scales = true;
  call.desc.product.k = 224;
  const Expected<LoweredKernel> kernel = lowered(call);
  ASSERT_TRUE(kernel) << render(kernel.diags());
  EXPECT_EQ(kernel->note, "the general CUDA kernel, which is slow: `scaled` has no CUDA kernel");
}

TEST(CudaGroupedGemm, what_does_not_go_together_is_refused) {
  Call call = wgrad(DType::bf16);
  call.desc.product.transpose_rhs = true;
  const auto program = grouped_gemm_program(call.desc, call.config());
  ASSERT_FALSE(program);
  EXPECT_EQ(program.diags()[0].message,
            "transpose_rhs is for products of rows, and this is the gradient of the weights");
}

TEST(CudaGroupedGemm, every_call_passes_the_gates_of_the_compiler) {
  if (const Support here = compiler_available(); !here.ok) GTEST_SKIP() << here.reason;
  constexpr int named_barriers = 4;
  for (const Call& call : fast_calls()) {
    const Expected<LoweredKernel> kernel = lowered(call);
    ASSERT_TRUE(kernel);
    SCOPED_TRACE(kernel->summary);
    const Expected<CompiledKernel> compiled = compile(*kernel);
    ASSERT_TRUE(compiled) << render(compiled.diags());
    EXPECT_EQ(objection(read_log(compiled->log), kernel->threads, named_barriers), "")
        << compiled->log;
  }
}

// Integer operands give the same bits as the interpreter.
TEST(CudaGroupedGemm, the_callers_memory_gets_the_interpreters_bits) {
  if (const Support here = cuda_device().available(); !here.ok) GTEST_SKIP() << here.reason;
  for (const Call& call : fast_calls()) {
    const Expected<std::unique_ptr<Executable>> kernel = device_grouped_gemm(call.desc, call.given);
    ASSERT_TRUE(kernel) << render(kernel.diags());
    SCOPED_TRACE(to_string(call.config()));
    const Expected<Program> program = grouped_gemm_program(call.desc, call.config());
    std::map<std::string, Tensor> tensors;
    DeviceArrays arrays;
    DeviceOperands operands;
    DeviceBinding binding;
    std::uint64_t seed = 0;
    for (const Buffer& buffer : program->buffers) {
      if (buffer.role == Role::scratch) continue;
      Tensor& tensor = tensors[buffer.name] = Tensor(buffer.dtype, buffer.shape);
      fill(tensor, Fill::integers, FillRole::lhs, 4096, ++seed);
      if (buffer.name == "group_sizes") {
        constexpr std::array sizes{100, 0, 130, 64, 1};
        std::copy(sizes.begin(), sizes.end(), tensor.as<std::int32_t>());
      }
      const auto bytes = static_cast<std::size_t>(tensor.bytes());
      ASSERT_TRUE(arrays.add(operands[buffer.name], tensor.bytes()));
      ASSERT_TRUE(to_device(operands[buffer.name], tensor.data(), bytes));
      binding[buffer.name] = &tensor;
    }
    ASSERT_TRUE((*kernel)->launch(operands, nullptr));
    ASSERT_TRUE(synchronise(nullptr));
    ASSERT_TRUE((*kernel)->check());
    Tensor found = tensors["out"].clone();
    ASSERT_TRUE(to_host(found.data(), operands["out"], static_cast<std::size_t>(found.bytes())));
    ASSERT_TRUE(interpreter_device().run(*program, {binding}, {}));
    for (std::int64_t i = 0; i < found.elements(); ++i)
      ASSERT_EQ(found.at(i), tensors["out"].at(i)) << i;
  }
}

}  // namespace
}  // namespace tessera::cuda
