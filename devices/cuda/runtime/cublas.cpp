#include "devices/cuda/runtime/cublas.h"

#include <fmt/format.h>

#include "core/report/try.h"
#include "devices/cuda/runtime/shared_library.h"

namespace tessera::cuda {
namespace {

constexpr int bf16 = 14, compute_f32 = 68,
              default_algorithm = -1;  // CUDA_R_16BF, CUBLAS_COMPUTE_32F

struct Cublas {
  SharedLibrary library{{"libcublas.so.13", "libcublas.so.12", "libcublas.so"}};
#define TESSERA_CUBLAS(member, function, result, ...) result (*member)(__VA_ARGS__) = nullptr;
#include "devices/cuda/runtime/symbols.def"
  void* handle = nullptr;

  Cublas() {
#define TESSERA_CUBLAS(member, function, ...) library.find(member, #function);
#include "devices/cuda/runtime/symbols.def"
  }
};

Cublas& cublas() {
  static Cublas loaded;
  return loaded;
}

Expected<void> blas_outcome(const char* call, int result) {
  if (result == 0) return {};
  return error(ErrorCode::environment,
               fmt::format("{} failed: {}", call, cublas().error_text(result)));
}

Expected<void> ready() {
  if (const Support here = cublas_available(); !here.ok)
    return error(ErrorCode::environment, here.reason);
  if (cublas().handle != nullptr) return {};
  return blas_outcome("cublasCreate", cublas().create(&cublas().handle));
}

// cuBLAS matrices are column-major, so a row-major matrix is passed as its transpose: c' = b' . a',
// with m and n exchanged.
struct ColumnMajor {
  int transa, transb, m, n, k, lda, ldb, ldc;
  explicit ColumnMajor(const DenseProduct& p)
      : transa(p.transpose_b ? 1 : 0),
        transb(p.transpose_a ? 1 : 0),
        m(static_cast<int>(p.n)),
        n(static_cast<int>(p.m)),
        k(static_cast<int>(p.k)),
        lda(static_cast<int>(p.transpose_b ? p.k : p.n)),
        ldb(static_cast<int>(p.transpose_a ? p.m : p.k)),
        ldc(static_cast<int>(p.n)) {}
};

const void* pointer(std::uint64_t address) { return reinterpret_cast<const void*>(address); }

}  // namespace

Support cublas_available() {
  if (cublas().library && cublas().library.problem().empty()) return {};
  return {false, fmt::format("cuBLAS is not found ({})", cublas().library.problem())};
}

Expected<void> cublas_product(const DenseProduct& product) {
  TRY(ready());
  const ColumnMajor c(product);
  const float one = 1, zero = 0;
  return blas_outcome("cublasGemmEx",
                      cublas().gemm(cublas().handle, c.transa, c.transb, c.m, c.n, c.k, &one,
                                    pointer(product.b), bf16, c.lda, pointer(product.a), bf16,
                                    c.ldb, &zero, const_cast<void*>(pointer(product.c)), bf16,
                                    c.ldc, compute_f32, default_algorithm));
}

Expected<void> cublas_batch(const DenseProduct& product, std::int64_t count, std::int64_t stride_a,
                            std::int64_t stride_b, std::int64_t stride_c) {
  TRY(ready());
  const ColumnMajor c(product);
  const float one = 1, zero = 0;
  return blas_outcome(
      "cublasGemmStridedBatchedEx",
      cublas().batched(cublas().handle, c.transa, c.transb, c.m, c.n, c.k, &one, pointer(product.b),
                       bf16, c.lda, stride_b, pointer(product.a), bf16, c.ldb, stride_a, &zero,
                       const_cast<void*>(pointer(product.c)), bf16, c.ldc, stride_c,
                       static_cast<int>(count), compute_f32, default_algorithm));
}

CublasGrouped::CublasGrouped(const std::vector<DenseProduct>& products) {
  for (const DenseProduct& p : products) {
    const ColumnMajor c(p);
    transa_.push_back(c.transa);
    transb_.push_back(c.transb);
    m_.push_back(c.m);
    n_.push_back(c.n);
    k_.push_back(c.k);
    lda_.push_back(c.lda);
    ldb_.push_back(c.ldb);
    ldc_.push_back(c.ldc);
    ones_.push_back(1);
    alpha_.push_back(1);
    beta_.push_back(0);
  }
  for (const DenseProduct& p : products) pointers_.push_back(p.b);
  for (const DenseProduct& p : products) pointers_.push_back(p.a);
  for (const DenseProduct& p : products) pointers_.push_back(p.c);
}

CublasGrouped::~CublasGrouped() {
  if (on_device_ != 0) release(on_device_);
}

Expected<void> CublasGrouped::prepare() {
  TRY(ready());
  if (on_device_ != 0) return {};
  TRY(allocate(on_device_, pointers_.size() * 8));
  return to_device(on_device_, pointers_.data(), pointers_.size() * 8);
}

Expected<void> CublasGrouped::run() {
  TRY(prepare());
  const std::size_t count = m_.size();
  const auto list = [&](std::size_t which) {
    return reinterpret_cast<void* const*>(on_device_ + which * count * 8);
  };
  return blas_outcome(
      "cublasGemmGroupedBatchedEx",
      cublas().grouped(cublas().handle, transa_.data(), transb_.data(), m_.data(), n_.data(),
                       k_.data(), alpha_.data(), list(0), bf16, lda_.data(), list(1), bf16,
                       ldb_.data(), beta_.data(), list(2), bf16, ldc_.data(),
                       static_cast<int>(count), ones_.data(), compute_f32));
}

}  // namespace tessera::cuda
