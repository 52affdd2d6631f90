#include "kernels/launch/operand_type.h"

#include "core/data/convert.h"

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

Tensor converted(const Tensor& tensor, DType dtype) {
  Tensor result = Tensor::uninitialised(dtype, tensor.shape());
  convert(tensor.data(), tensor.dtype(), result.data(), dtype, tensor.elements());
  return result;
}

}  // namespace tessera
