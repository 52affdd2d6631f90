// Storing a value in an element type. A float (f32, bf16, f16 or FP8) represents the real number
// before rounding; the reference may round here too, or not. An integer or a scale is the rounded
// value itself, so the bound covers all values that the rounding may produce.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/running_error/rules.h"
#include "core/data/convert.h"
#include "core/data/dtype_info.h"

namespace tessera::running_error {
namespace {

double stored(DType dtype, double value) {
  alignas(8) std::byte element[8];
  store_element(element, dtype, value);
  return load_element(element, dtype);
}

// True if part of the interval is outside the range of the type, so that a smaller value is stored.
bool leaves(DType dtype, double low, double high) {
  const DTypeInfo& type = dtype_info(dtype);
  if (type.kind == DTypeKind::integer) {
    const double least = is_unsigned(dtype) ? 0 : -type.largest - (dtype == DType::i64 ? 0 : 1);
    return low < least - 0.5 || high > type.largest + 0.5;
  }
  const double half =
      type.kind == DTypeKind::scale ? 0 : std::ldexp(1, std::ilogb(type.largest) - type.digits);
  return std::max(-low, high) > type.largest + half;
}

}  // namespace

// Rounds both ends of the interval. Requires !leaves().
Number Rules::truncated(const Number& x, DType to) {
  const bool is_scale = dtype_info(to).kind == DTypeKind::scale;
  const auto bound = static_cast<double>(x.bound);
  const double value = stored(to, x.value), size = is_scale ? std::abs(x.value) : x.value;
  const double least = stored(to, is_scale ? std::max(0.0, size - bound) : size - bound);
  const double most = stored(to, size + bound);
  return {value, rounded_up(std::max(most - value, value - least))};
}

Number Rules::rounded(DType to, const Number& x) {
  const double value = stored(to, x.value);
  if (!is_known(x.bound)) return {value, x.bound};
  if (value == x.value && (x.bound == 0 || to == DType::f32)) return {value, x.bound};
  const auto bound = static_cast<double>(x.bound);
  if (leaves(to, x.value - bound, x.value + bound))
    return {value, unknown(fmt::format("it may be more than {} holds", name(to)))};
  const DTypeKind kind = dtype_info(to).kind;
  if (kind == DTypeKind::integer || kind == DTypeKind::scale) return truncated(x, to);
  if (!std::isfinite(value)) return {value, unknown(fmt::format("it overflows {}", name(to)))};
  const double here = bound + std::abs(value - x.value);
  if (to == DType::f32 || bound == 0) return {value, rounded_up(here)};
  const Number there = truncated(x, to);
  if (!std::isfinite(there.bound))
    return {value, unknown(fmt::format("it may overflow {}", name(to)))};
  return {value, std::max(rounded_up(here), there.bound)};
}

}  // namespace tessera::running_error
