// Error propagation of elementwise functions. A monotone function has results between its
// values at the ends of the argument's interval. The machine computes in double and rounds once.
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/running_error/rules.h"
#include "core/data/convert.h"
#include "interp/tiles/functions.h"
#include "interp/tiles/integer_ops.h"

namespace tessera::running_error {
namespace {

// Error of functions in other libraries, in half units in the last place.
constexpr double of_libraries = 8;
// Error of exp(x * ln 2) per unit of |x|, in half units in the last place. The rounding of the
// product contributes ln 2, the rounding of ln 2 a twentieth of it.
constexpr double exp2_roundings = 0.74;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double smallest = std::numeric_limits<double>::min();

double value_of(Function f, double x) { return tile::real_function(f)(x); }

// Propagation of the argument's error.
enum class Growth : std::uint8_t {
  monotone,  // bounded by the values at the ends of the interval
  gentle,    // slope of at most 1
  step       // monotone, with integer results that are the same in all libraries
};

Growth growth(Function f) {
  switch (f) {
    case Function::sin:
    case Function::cos:
      return Growth::gentle;
    case Function::floor:
    case Function::ceil:
    case Function::round:
    case Function::sign:
    case Function::is_finite:
      return Growth::step;
    case Function::exp:
    case Function::exp2:
    case Function::expm1:
    case Function::log:
    case Function::log1p:
    case Function::logistic:
    case Function::tanh:
    case Function::erf:
    case Function::erfc:
    case Function::sqrt:
    case Function::rsqrt:
      break;
  }
  return Growth::monotone;
}

// True for functions that are never 0, although their result in double may be.
bool vanishes(Function f) {
  return f == Function::exp || f == Function::exp2 || f == Function::logistic ||
         f == Function::erfc;
}

// Lower limit of the argument. Below it the function has no value; at it there is no value either,
// or an infinite slope.
double least_argument(Function f) {
  if (f == Function::log || f == Function::rsqrt) return 0;
  return f == Function::log1p ? -1 : -infinity;
}

}  // namespace

Number Rules::function(Function f, const Number& x) {
  if (f == Function::is_finite) return is_finite(x);
  const double wide = value_of(f, x.value);
  const auto value = static_cast<float>(wide);
  if (!is_known(x.bound)) return {value, x.bound};
  if (std::isinf(x.value) && !std::isnan(value)) return {value, 0};
  const double least = least_argument(f);
  if (low(x) <= least)
    return {value, unknown(least == 0 ? "its argument may not be above 0"
                                      : "its argument may not be above -1")};
  if (f == Function::sqrt && low(x) < 0) return {value, unknown("its argument may be less than 0")};
  const bool is_step = growth(f) == Growth::step;
  double carried = 0;
  if (x.bound > 0 && growth(f) == Growth::gentle) {
    carried = std::min(2.0, static_cast<double>(x.bound));  // the slope is at most 1
  } else if (x.bound > 0) {
    const double from = std::max(std::nextafter(low(x), -infinity), least);
    const double below = value_of(f, f == Function::sqrt ? std::max(from, 0.0) : from);
    const double above = value_of(f, std::nextafter(high(x), infinity));
    carried = std::max(std::abs(above - wide), std::abs(wide - below)) +
              (is_step ? 0 : 4 * tiny * std::max(std::abs(above), std::abs(below)));
  }
  if (is_step) return made(value, carried, std::abs(static_cast<double>(value) - wide), 0);
  // The reference's rounding of x * ln 2 is an error of the exponent.
  const double of_exponent = f == Function::exp2 && flushes()
                                 ? exp2_roundings * std::max(std::abs(low(x)), std::abs(high(x)))
                                 : 0;
  return made(value, carried,
              std::abs(static_cast<double>(value) - wide) + 2 * tiny * std::abs(wide) +
                  (vanishes(f) ? smallest : 0),
              of_libraries + of_exponent);
}

// If the base is above 0, the extreme values are at the corners. Otherwise the exponent
// must be a whole number, and 0 is also a possible value if the base may be 0.
Number Rules::power(const Number& a, const Number& b) {
  const double wide = std::pow(a.value, b.value);
  const auto value = static_cast<float>(wide);
  if (!is_known(a.bound)) return {value, a.bound};
  if (!is_known(b.bound)) return {value, b.bound};
  if ((std::isinf(a.value) || std::isinf(b.value)) && !std::isnan(value)) {
    if (a.bound == 0 && b.bound == 0) return {value, 0};
    return {value, unknown("a power of an infinity")};
  }
  double carried = 0;
  if (a.bound > 0 || b.bound > 0) {
    const bool is_whole = b.bound == 0 && b.value == std::trunc(b.value);
    const bool has_zero = low(a) <= 0 && high(a) >= 0;
    if (!is_whole && low(a) <= 0) return {value, unknown("its base may not be above 0")};
    if (has_zero && b.value < 0) return {value, unknown("its base may be 0")};
    for (const double x : {std::nextafter(low(a), -infinity), std::nextafter(high(a), infinity)})
      for (const double y : {low(b), high(b)}) {
        const double corner = std::pow(x, y);
        carried = std::max(carried, std::abs(corner - wide) + 4 * tiny * std::abs(corner));
      }
    if (has_zero && b.value > 0) carried = std::max(carried, std::abs(wide));
  }
  return made(value, carried,
              std::abs(static_cast<double>(value) - wide) + 2 * tiny * std::abs(wide) + smallest,
              of_libraries);
}

// A value with a known bound is finite with and without its error, or it is infinite.
Number Rules::is_finite(const Number& x) {
  const double value = std::isfinite(x.value) ? 1 : 0;
  return {value, is_known(x.bound) ? Bound{0} : x.bound};
}

Number Rules::of_bits(Integers op, const Number& a, const Number& b, DType type) {
  const auto integer = [](double value) {
    return std::abs(value) < 0x1p63 ? static_cast<std::int64_t>(value) : 0;
  };
  const auto value =
      static_cast<double>(tile::value_of(op, type, integer(a.value), integer(b.value)));
  if (!is_known(a.bound)) return {value, a.bound};
  if (!is_known(b.bound)) return {value, b.bound};
  if (a.bound == 0 && b.bound == 0) return {value, 0};
  // A truth value that rounding may have changed is 0 or 1.
  const auto is_truth = [](const Number& x) {
    return (x.value == 0 || x.value == 1) && (x.bound == 0 || x.bound == 1);
  };
  const auto is_surely = [](const Number& x, double truth) {
    return x.bound == 0 && x.value == truth;
  };
  const bool is_logic =
      op == Integers::bit_and || op == Integers::bit_or || op == Integers::bit_xor;
  if (!is_logic || !is_truth(a) || !is_truth(b))
    return {value, unknown("rounding may change the bits of an operand")};
  const bool is_decided = (op == Integers::bit_and && (is_surely(a, 0) || is_surely(b, 0))) ||
                          (op == Integers::bit_or && (is_surely(a, 1) || is_surely(b, 1)));
  return {value, is_decided ? Bound{0} : Bound{1}};
}

Number Rules::cut_off(const Number& x, DType from, DType to) {
  if (is_float(from)) {
    const auto stored = [&](double value) {
      alignas(8) std::byte element[8];
      store_element(element, to, std::trunc(value));
      return load_element(element, to);
    };
    const double value = stored(x.value);
    if (!is_known(x.bound)) return {value, x.bound};
    return {value, rounded_up(std::max(stored(high(x)) - value, value - stored(low(x))))};
  }
  const auto bits = [&](double value) {
    return static_cast<double>(
        tile::low_bits(to, std::abs(value) < 0x1p63 ? static_cast<std::int64_t>(value) : 0));
  };
  const double value = bits(x.value);
  if (!is_known(x.bound) || x.bound == 0) return {value, x.bound};
  const bool is_held = value == x.value && bits(low(x)) == low(x) && bits(high(x)) == high(x);
  return {value, is_held ? x.bound : unknown("rounding may change the low bits")};
}

}  // namespace tessera::running_error
