#include "core/data/dtype_range.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace tessera {

double largest_finite(DType dtype) {
  // In the order of the enumerators.
  constexpr std::array<double, dtype_count> largest = {
      0x1.FFFFFEp127, 0x1.FEp127, 65504, 448, 57344, 0x1p127, 127, 0x7FFFFFFF, 0xFFFFFFFF, 0x1p63};
  static_assert(largest.back() > 0, "a type of dtype.h has no number");
  return largest[static_cast<std::size_t>(dtype)];
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
