// cuBLAS, loaded at run time: the peer library for measurements. Computes no result of this
// project. Operands are row-major bf16 matrices on the device; sums are f32, results bf16.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "devices/cuda/runtime/driver.h"
#include "devices/workbench.h"

namespace tessera::cuda {

Support cublas_available();

// Enqueues the product c = a . b on the default stream. Fails with ErrorCode::environment without
// cuBLAS, and if its call fails; so do the following functions.
Expected<void> cublas_product(const DenseProduct& product);
// Enqueues `count` products of the same size with one call of cublasGemmStridedBatchedEx. strides:
// elements from one a, b or c to the next; `product` has the addresses of the first.
Expected<void> cublas_batch(const DenseProduct& product, std::int64_t count, std::int64_t stride_a,
                            std::int64_t stride_b, std::int64_t stride_c);

// Products of different sizes, none of them empty. run() enqueues all with one call of
// cublasGemmGroupedBatchedEx; its first call allocates memory and copies the addresses. The object
// must outlive the enqueued work.
class CublasGrouped {
 public:
  explicit CublasGrouped(const std::vector<DenseProduct>& products);
  ~CublasGrouped();
  Expected<void> run();

 private:
  Expected<void> prepare();
  std::vector<int> transa_, transb_, m_, n_, k_, lda_, ldb_, ldc_, ones_;
  std::vector<float> alpha_, beta_;
  std::vector<std::uint64_t> pointers_;  // all b, then all a, then all c
  std::uint64_t on_device_ = 0;
};

}  // namespace tessera::cuda
