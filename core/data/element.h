// Single elements of a type known at compile time: storage type, value of an element, element for a
// value. The rules are in core/data/convert.h.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/data/dtype.h"
#include "core/data/numeric.h"

namespace tessera::element {

// Storage type of an element.
template <DType dtype>
struct StoredAs;
#define TYPE(name, stored, ...)  \
  template <>                    \
  struct StoredAs<DType::name> { \
    using type = stored;         \
  };
#include "core/data/dtype.def"
#undef TYPE
template <DType dtype>
using Stored = typename StoredAs<dtype>::type;

// Calls visit(std::integral_constant<DType, dtype>()) with a type that is known at run time.
// `visit` must return void.
template <typename Visit>
void with_dtype(DType dtype, const Visit& visit) {
  switch (dtype) {
#define TYPE(name, ...) \
  case DType::name:     \
    return visit(std::integral_constant<DType, DType::name>{});
#include "core/data/dtype.def"
#undef TYPE
  }
}

// Returns the value of a stored element: a float, or the integer itself.
template <DType dtype>
constexpr auto value_of(Stored<dtype> element) {
  if constexpr (dtype == DType::bf16)
    return from_bf16(element);
  else if constexpr (dtype == DType::f16)
    return from_f16(element);
  else if constexpr (dtype == DType::e4m3)
    return from_e4m3(element);
  else if constexpr (dtype == DType::e5m2)
    return from_e5m2(element);
  else if constexpr (dtype == DType::e8m0)
    return from_e8m0(element);
  else
    return element;
}

// Return the value as integer type I: rounded to nearest even and saturated; NaN becomes 0.
template <typename I>
I to_integer(double value) {
  constexpr auto lowest = std::numeric_limits<I>::min(), highest = std::numeric_limits<I>::max();
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(lowest)) return lowest;
  if (value >= static_cast<double>(highest)) return highest;
  return static_cast<I>(std::nearbyint(value));
}

template <typename I>
I to_integer(std::int64_t value) {
  constexpr auto lowest = std::numeric_limits<I>::min(), highest = std::numeric_limits<I>::max();
  if (value < std::int64_t{lowest}) return lowest;
  if (value > std::int64_t{highest}) return highest;
  return static_cast<I>(value);
}

// Returns a double that rounds to every narrower format as the integer would: if bits are dropped,
// the last bit is set.
inline double rounded_to_odd(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  std::uint64_t magnitude = value < 0 ? 0 - bits : bits;
  const int excess = 64 - std::countl_zero(magnitude) - std::numeric_limits<double>::digits;
  if (excess > 0) {
    const std::uint64_t unit = std::uint64_t{1} << excess;
    const bool inexact = (magnitude & (unit - 1)) != 0;
    magnitude = (magnitude & ~(unit - 1)) | (inexact ? unit : 0);
  }
  const auto result = static_cast<double>(magnitude);
  return value < 0 ? -result : result;
}

// Returns a number as a float type that rounds to every narrower format as the number would.
template <typename V>
auto float_of(V value) {
  if constexpr (std::is_floating_point_v<V>)
    return value;
  else if constexpr (std::is_same_v<V, std::int64_t>)
    return rounded_to_odd(value);
  else
    return static_cast<double>(value);
}

// Returns the element for a value, converted as in convert(). overflow: for FP8 and e8m0.
template <DType dtype, typename V>
Stored<dtype> from_value(V value, Overflow overflow) {
  using S = Stored<dtype>;
  if constexpr (dtype == DType::f32)
    return static_cast<float>(value);
  else if constexpr (dtype == DType::bf16)
    return to_bf16(float_of(value));
  else if constexpr (dtype == DType::f16)
    return to_f16(float_of(value));
  else if constexpr (dtype == DType::e4m3)
    return to_e4m3(float_of(value), overflow);
  else if constexpr (dtype == DType::e5m2)
    return to_e5m2(float_of(value), overflow);
  else if constexpr (dtype == DType::e8m0)
    return to_e8m0(float_of(value), ScaleRounding::up, overflow);
  else if constexpr (std::is_floating_point_v<V>)
    return to_integer<S>(static_cast<double>(value));
  else
    return to_integer<S>(std::int64_t{value});
}

}  // namespace tessera::element
