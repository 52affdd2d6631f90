#include "analysis/running_error/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/data/dtype_info.h"
#include "interp/tiles/functions.h"

namespace tessera::running_error {
namespace {

constexpr double least_normal = 0x1p-126;  // f32, and bf16, which XLA computes in f32

bool is_infinite(const Number& x) { return std::isinf(x.value); }
bool may_be_zero(const Number& x) { return std::abs(x.value) <= static_cast<double>(x.bound); }

// Exact error of the f32 sum of two f32 values, including the tail that the sum in double loses.
double error_of_sum(double sum, double x, double y) {
  const double wide = x + y, from_y = wide - x;
  const double tail = (x - (wide - from_y)) + (y - from_y);
  return std::abs((sum - wide) - tail);
}

}  // namespace

double Rules::lost_elsewhere(double size, double roundings) const {
  if (!other_) return 0;
  const DTypeInfo& type = dtype_info(other_->type);
  if (size > type.largest) return std::numeric_limits<double>::infinity();
  const double least = flushes() ? least_normal : std::ldexp(0.5, type.least);
  return roundings * (std::ldexp(size, -type.digits) + least);
}

Number Rules::flushed(const Number& x) {
  const double size = std::abs(x.value);
  if (!is_known(x.bound) || size - static_cast<double>(x.bound) >= least_normal) return x;
  return {x.value, std::max(x.bound, rounded_up(size))};
}

// carried: error from the operands. own: rounding error of the machine.
Number Rules::made(float value, double carried, double own, double roundings) {
  if (std::isnan(value)) return {value, unknown("it is not a number")};
  if (std::isinf(value)) return {value, unknown("it overflows f32")};
  const double size = std::abs(static_cast<double>(value)) + carried;
  const Bound bound = rounded_up(carried + own + lost_elsewhere(size, roundings));
  if (std::isfinite(bound)) return {value, bound};
  return {value, unknown("its error may be larger than any number")};
}

Number Rules::add(const Number& a, const Number& b) {
  const auto sum = static_cast<float>(a.value) + static_cast<float>(b.value);
  if ((is_infinite(a) || is_infinite(b)) && !std::isnan(sum)) return {sum, 0};
  return made(sum, static_cast<double>(a.bound) + static_cast<double>(b.bound),
              error_of_sum(static_cast<double>(sum), a.value, b.value));
}

Number Rules::mul(const Number& a, const Number& b) {
  const auto product = static_cast<float>(a.value) * static_cast<float>(b.value);
  if (is_infinite(a) || is_infinite(b)) {
    if (may_be_zero(a) || may_be_zero(b)) return {product, unknown("it may be 0 times infinity")};
    return {product, 0};
  }
  const double exact = a.value * b.value;  // exact: 48 bits
  const auto ea = static_cast<double>(a.bound), eb = static_cast<double>(b.bound);
  return made(product, std::abs(a.value) * eb + ea * std::abs(b.value) + ea * eb,
              std::abs(static_cast<double>(product) - exact));
}

Number Rules::div(const Number& a, const Number& b) {
  const float quotient = static_cast<float>(a.value) / static_cast<float>(b.value);
  if (may_be_zero(b)) return {quotient, unknown("its divisor may be 0")};
  if (is_infinite(a) != is_infinite(b)) return {quotient, 0};
  const double x = std::abs(a.value), y = std::abs(b.value);
  const auto ea = static_cast<double>(a.bound), eb = static_cast<double>(b.bound);
  const double wide = a.value / b.value, q = static_cast<double>(quotient);
  const bool is_whole = q * b.value == a.value;  // exact: 48 bits
  return made(quotient, (ea * y + x * eb) / (y * (y - eb)),
              is_whole ? 0 : std::abs(q - wide) + tiny * std::abs(wide));
}

Number Rules::chosen(bool wants_larger, const Number& a, const Number& b) {
  const auto pick = [&](double x, double y) {
    return wants_larger ? std::max(x, y) : std::min(x, y);
  };
  const double value = pick(a.value, b.value);
  const double least = pick(low(a), low(b)), most = pick(high(a), high(b));
  const auto apart = [](double x, double y) { return x == y ? 0 : x - y; };
  return {value, rounded_up(std::max(apart(most, value), apart(value, least)))};
}

Number Rules::compared(Binary op, const Number& a, const Number& b) {
  const double value = tile::value_of(op, a.value, b.value);
  const bool is_exact = a.bound == 0 && b.bound == 0;
  const bool is_less = op == Binary::lt ? high(a) < low(b) : high(a) <= low(b);
  const bool is_not = op == Binary::lt ? low(a) >= high(b) : low(a) > high(b);
  const bool is_decided =
      is_exact || (op == Binary::eq ? high(a) < low(b) || high(b) < low(a) : is_less || is_not);
  return {value, is_decided ? Bound{0} : Bound{1}};
}

Number Rules::binary(Binary op, const Number& a, const Number& b) {
  Number result;
  const bool are_known = is_known(a.bound) && is_known(b.bound);
  switch (op) {
    case Binary::add:
    case Binary::sub:
    case Binary::mul:
    case Binary::div:
      if (!are_known) {
        result.value = static_cast<double>(
            tile::value_of(op, static_cast<float>(a.value), static_cast<float>(b.value)));
        break;
      }
      if (op == Binary::mul) return mul(a, b);
      if (op == Binary::div) return div(a, b);
      return add(a, op == Binary::sub ? Number{-b.value, b.bound} : b);
    case Binary::min:
    case Binary::max:
      if (are_known) return chosen(op == Binary::max, a, b);
      result.value = std::isnan(a.value) || std::isnan(b.value)
                         ? a.value + b.value
                         : tile::value_of(op, a.value, b.value);
      break;
    default:
      if (are_known) return compared(op, a, b);
      result.value = tile::value_of(op, a.value, b.value);
  }
  result.bound = is_known(a.bound) ? b.bound : a.bound;
  return result;
}

Number Rules::of_integers(Binary op, const Number& a, const Number& b, DType widest) {
  if (!is_known(a.bound) || !is_known(b.bound)) return {0, is_known(a.bound) ? b.bound : a.bound};
  if (op == Binary::min || op == Binary::max) return chosen(op == Binary::max, a, b);
  if (op == Binary::lt || op == Binary::le || op == Binary::eq) return compared(op, a, b);
  const auto ea = static_cast<double>(a.bound), eb = static_cast<double>(b.bound);
  const double x = std::abs(a.value), y = std::abs(b.value);
  const double value = op != Binary::div ? tile::value_of(op, a.value, b.value)
                       : b.value == 0    ? 0
                                         : std::floor(a.value / b.value);
  double bound = ea + eb;
  if (op == Binary::mul) bound = x * eb + ea * y + ea * eb;
  if (op == Binary::div) {
    if (may_be_zero(b) && eb > 0) return {value, unknown("its divisor may be 0")};
    const bool is_exact = ea + eb == 0;
    bound = is_exact ? 0 : (ea * y + x * eb) / (y * (y - eb)) + 1;
  }
  if (std::abs(value) + bound >= std::ldexp(1, 8 * size_of(widest) - (is_unsigned(widest) ? 0 : 1)))
    return {value, unknown(fmt::format("it may leave {}", name(widest)))};
  return {value, rounded_up(bound)};
}

Number Rules::select(const Number& condition, const Number& a, const Number& b) {
  const Number& taken = condition.value != 0 ? a : b;
  const Number& other = condition.value != 0 ? b : a;
  if (!is_known(condition.bound)) return {taken.value, condition.bound};
  if (condition.bound == 0 || !may_be_zero(condition)) return taken;
  // Rounding may change the choice, so the bound covers both operands.
  if (!is_known(taken.bound)) return taken;
  if (!is_known(other.bound)) return {taken.value, other.bound};
  if (taken.value == other.value) return {taken.value, std::max(taken.bound, other.bound)};
  if (is_infinite(taken) || is_infinite(other))
    return {taken.value, unknown("rounding may choose an infinity or not")};
  const double apart = std::abs(taken.value - other.value) + static_cast<double>(other.bound);
  return {taken.value, rounded_up(std::max(apart, static_cast<double>(taken.bound)))};
}

Number Rules::as_f32(const Number& x) {
  const auto value = static_cast<double>(static_cast<float>(x.value));
  if (!is_known(x.bound) || value == x.value) return {value, x.bound};
  return {value, rounded_up(static_cast<double>(x.bound) + std::abs(value - x.value) +
                            tiny * std::abs(value))};
}

Number Rules::sum(const std::vector<Number>& terms, bool are_integers) {
  double carried = 0, own = 0, size = 0;
  Number result;
  for (const Number& term : terms) {
    const double before = result.value;
    result.value =
        are_integers
            ? before + term.value
            : static_cast<double>(static_cast<float>(before) + static_cast<float>(term.value));
    if (!is_known(result.bound)) continue;
    if (!is_known(term.bound)) {
      result.bound = term.bound;
      continue;
    }
    carried += static_cast<double>(term.bound);
    if (are_integers || std::isinf(result.value)) continue;
    own += error_of_sum(result.value, before, term.value);
    size += std::abs(term.value) + static_cast<double>(term.bound);
  }
  if (!is_known(result.bound)) return result;
  if (are_integers) return {result.value, rounded_up(carried)};
  const bool has_infinity =
      std::any_of(terms.begin(), terms.end(), [](const Number& x) { return is_infinite(x); });
  if (has_infinity && std::isinf(result.value)) return {result.value, 0};
  // Other orders have other partial sums, each at most as large as the sum of all sizes.
  const double elsewhere = lost_elsewhere(size, 1.01 * static_cast<double>(terms.size()));
  return made(static_cast<float>(result.value), carried, own + elsewhere, 0);
}

Number Rules::outermost(bool wants_largest, const std::vector<Number>& terms) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Number result{wants_largest ? -infinity : infinity, 0};
  for (const Number& term : terms)
    result = binary(wants_largest ? Binary::max : Binary::min, result, term);
  return result;
}

}  // namespace tessera::running_error
