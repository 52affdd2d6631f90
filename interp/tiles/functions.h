// Elementwise ops on one or two numbers.
#pragma once
#include <algorithm>
#include <type_traits>

#include "core/program/op_shapes.h"
#include "core/program/scalar.h"

namespace tessera::tile {

using RealFunction = double (*)(double);
// Returns the function that computes the op in double; NaN gives NaN, except for is_finite.
RealFunction real_function(shapes::Function function);

// Returns the value of the op on two numbers. Integers wrap; comparisons give 1 or 0. min and max
// require operands that are not NaN.
template <typename T>
constexpr T value_of(shapes::Binary op, T a, T b) {
  using shapes::Binary;
  constexpr bool is_integer = std::is_integral_v<T>;
  switch (op) {
    case Binary::add:
      if constexpr (is_integer) return scalar::add(a, b);
      return a + b;
    case Binary::sub:
      if constexpr (is_integer) return scalar::sub(a, b);
      return a - b;
    case Binary::mul:
      if constexpr (is_integer) return scalar::mul(a, b);
      return a * b;
    case Binary::div:
      if constexpr (is_integer) return scalar::div(a, b);
      return a / b;
    case Binary::min:
      return std::min(a, b);
    case Binary::max:
      return std::max(a, b);
    case Binary::lt:
      return a < b ? 1 : 0;
    case Binary::le:
      return a <= b ? 1 : 0;
    case Binary::eq:
      break;
  }
  return a == b ? 1 : 0;
}

}  // namespace tessera::tile
