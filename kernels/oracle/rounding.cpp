#include "kernels/oracle/rounding.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/data/dtype_info.h"
#include "core/data/dtype_range.h"

namespace tessera {
namespace {

constexpr double unbounded = std::numeric_limits<double>::max();

Rounding floating(int bits, int min_exponent, double largest, bool saturates) {
  const double top = std::ldexp(1.0, std::ilogb(largest) - bits);
  return {std::ldexp(1.0, -bits), std::ldexp(1.0, min_exponent - 1), largest, largest + top,
          saturates};
}

}  // namespace

Rounding rounding(DType dtype, DType accumulator) {
  const DTypeInfo& type = dtype_info(dtype);
  if (type.digits > 0) {
    Rounding rounded = floating(type.digits, type.least, type.largest, type.kind == DTypeKind::fp8);
    if (dtype == DType::f32 && accumulator == DType::f32) rounded.unit = rounded.half_step = 0;
    return rounded;
  }
  // e8m0 scales and integers.
  Rounding whole{0, is_float(accumulator) ? 0.5 : 0.0, unbounded, unbounded, true};
  if (dtype == DType::i8 || dtype == DType::i32) whole.largest = largest_finite(dtype);
  return whole;
}

}  // namespace tessera
