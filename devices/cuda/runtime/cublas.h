// cuBLAS, looked up when the program runs: the peer beside which our kernels are measured.
// Row-major matrices of bf16 on the device, sums in f32, results of bf16; nothing of ours is
// computed by it.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "devices/cuda/runtime/driver.h"

namespace tessera::cuda {

Support cublas_available();

// c[m, n] = a . b; a is [m, k] or, transposed, [k, m]; b is [k, n] or, transposed, [n, k].
struct CublasProduct {
  std::int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;
  std::uint64_t a = 0, b = 0, c = 0;
};

// Each enqueues on the default stream.
Problem cublas_product(const CublasProduct& product);
// One call of cublasGemmStridedBatchedEx on `count` products; strides in elements.
Problem cublas_batch(const CublasProduct& product, std::int64_t count, std::int64_t stride_a,
                     std::int64_t stride_b, std::int64_t stride_c);

// One call of cublasGemmGroupedBatchedEx on products of different sizes, none of them empty.
class CublasGrouped {
 public:
  explicit CublasGrouped(const std::vector<CublasProduct>& products);
  ~CublasGrouped();
  Problem run();

 private:
  Problem prepare();
  std::vector<int> transa_, transb_, m_, n_, k_, lda_, ldb_, ldc_, ones_;
  std::vector<float> alpha_, beta_;
  std::vector<std::uint64_t> pointers_;  // a of all, then b, then c
  std::uint64_t on_device_ = 0;
};

}  // namespace tessera::cuda
