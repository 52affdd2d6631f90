#include "kernels/operand_type.h"

#include "core/convert.h"

namespace tessera {
namespace {

// Small floats and i8 are exact in bf16 as well as in f16.
bool is_small(DType dtype) {
  return dtype == DType::e4m3 || dtype == DType::e5m2 || dtype == DType::i8;
}
bool is_kernel_float(DType dtype) {
  return dtype == DType::bf16 || dtype == DType::f16 || dtype == DType::f32;
}

}  // namespace

std::optional<DType> common_operand(DType a, DType b) {
  if (!(is_small(a) || is_kernel_float(a)) || !(is_small(b) || is_kernel_float(b)))
    return std::nullopt;
  if (a == b && !(is_small(a) && is_float(a))) return a;
  if (is_small(a)) return is_small(b) ? DType::bf16 : b;
  if (is_small(b)) return a;
  return DType::f32;
}

std::optional<DType> common_device_operand(DType a, DType b, bool transpose_rhs, std::int64_t k) {
  const bool is_fp8 = a == DType::e4m3 || a == DType::e5m2;
  if (is_fp8 && a == b && transpose_rhs && k % 16 == 0) return a;
  return common_operand(a, b);
}

Tensor converted(const Tensor& tensor, DType dtype) {
  Tensor result = Tensor::uninitialised(dtype, tensor.shape());
  convert(tensor.data(), tensor.dtype(), result.data(), dtype, tensor.elements());
  return result;
}

}  // namespace tessera
