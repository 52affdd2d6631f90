#include "core/data/dtype_range.h"

#include <cmath>

#include "core/data/dtype_info.h"

namespace tessera {

double largest_finite(DType dtype) { return dtype_info(dtype).largest; }

DType wider_integer(DType a, DType b) {
  if (a == b) return a;
  if (size_of(a) == size_of(b)) return DType::i64;
  return size_of(a) > size_of(b) ? a : b;
}

DType accumulator(DType dtype, DType stored) {
  return is_float(stored) ? DType::f32 : accumulator(dtype);
}

double wrapped_i32(double sum) {
  constexpr double range = 0x1p32;
  if (!std::isfinite(sum)) return sum;
  return sum - range * std::floor((sum + range / 2) / range);
}

}  // namespace tessera
