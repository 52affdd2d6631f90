#include "kernels/oracle/rounding.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/data/dtype_range.h"

namespace tessera {
namespace {

constexpr double unbounded = std::numeric_limits<double>::max();

Rounding floating(int bits, int smallest_exponent, double largest, bool saturates) {
  const double top = std::ldexp(1.0, std::ilogb(largest) - bits);
  return {std::ldexp(1.0, -bits), std::ldexp(1.0, smallest_exponent - 1), largest, largest + top,
          saturates};
}

}  // namespace

Rounding rounding(DType dtype, DType accumulator) {
  switch (dtype) {
    case DType::f32: {
      Rounding f32 = floating(24, -149, largest_finite(dtype), false);
      if (accumulator == DType::f32) f32.unit = f32.half_step = 0;
      return f32;
    }
    case DType::bf16:
      return floating(8, -133, largest_finite(dtype), false);
    case DType::f16:
      return floating(11, -24, largest_finite(dtype), false);
    case DType::e4m3:
      return floating(4, -9, largest_finite(dtype), true);
    case DType::e5m2:
      return floating(3, -16, largest_finite(dtype), true);
    case DType::e8m0:  // as integers: whole powers and whole numbers
    case DType::i8:
    case DType::i32:
    case DType::u32:
    case DType::i64:
      break;
  }
  Rounding whole{0, is_float(accumulator) ? 0.5 : 0.0, unbounded, unbounded, true};
  if (dtype == DType::i8 || dtype == DType::i32) whole.largest = largest_finite(dtype);
  return whole;
}

}  // namespace tessera
