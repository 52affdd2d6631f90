// maximum and minimum of IEEE 754-2019: a NaN if either number is one, and -0 is less than +0.
#pragma once
#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tessera {

// True if the sign bit is set, also for -0 and NaN.
template <std::floating_point F>
constexpr bool has_minus_sign(F x) {
  using Bits = std::conditional_t<sizeof(F) == 4, std::int32_t, std::int64_t>;
  return std::bit_cast<Bits>(x) < 0;
}

// Free of branches, so that loops vectorise.
template <std::floating_point F>
constexpr F maximum(F a, F b) {
  const bool is_a = (a != a) | (a > b) | ((a == b) & !has_minus_sign(a));
  return (is_a & (b == b)) ? a : b;
}
template <std::floating_point F>
constexpr F minimum(F a, F b) {
  const bool is_a = (a != a) | (a < b) | ((a == b) & has_minus_sign(a));
  return (is_a & (b == b)) ? a : b;
}

}  // namespace tessera
