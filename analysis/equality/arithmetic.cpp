#include "analysis/equality/arithmetic.h"

#include <algorithm>
#include <string>

#include "analysis/equality/orders.h"

namespace tessera::fields {
namespace {

constexpr std::uint64_t digit = 1024;  // base of the digits of an exponent

// Separate loops, so that each is fast.
void combine(Binary op, const Modulus& modulus, std::vector<Residue>& out,
             const std::vector<Residue>& a, const std::vector<Residue>& b) {
  const std::size_t n = out.size();
  if (op == Binary::add)
    for (std::size_t i = 0; i < n; ++i) out[i] = modulus.add(a[i], b[i]);
  else if (op == Binary::sub)
    for (std::size_t i = 0; i < n; ++i) out[i] = modulus.sub(a[i], b[i]);
  else
    for (std::size_t i = 0; i < n; ++i) out[i] = modulus.mul(a[i], b[i]);
}

Number negated(const Draw& draw, const Number& x) {
  if (x.p == plus_infinity) return {minus_infinity, minus_infinity};
  if (x.p == minus_infinity) return {plus_infinity, plus_infinity};
  return {draw.p.sub(0, x.p), draw.q.sub(0, x.q)};
}

}  // namespace

Arithmetic::Arithmetic(const Draw& draw, bool has_exponents, std::uint64_t apart)
    : draw_(draw), has_exponents_(has_exponents), random_(apart) {
  if (!has_exponents) return;
  Residue base = draw.generator;
  for (int place = 0; place < 3; ++place) {
    Residue power = 1;
    for (std::uint64_t i = 0; i < digit; ++i) {
      powers_.push_back(power);
      power = draw.p.mul(power, base);
    }
    base = power;
  }
}

Residue Arithmetic::to_the_power(Residue exponent) const {
  const Residue low = powers_[exponent % digit];
  const Residue middle = powers_[digit + exponent / digit % digit];
  const Residue high = powers_[2 * digit + exponent / digit / digit];
  return draw_.p.mul(draw_.p.mul(low, middle), high);
}

Number Arithmetic::no_value(Bound& bound) {
  bound.has_no_value = true;
  return apart();
}

// + - * of numbers that may be infinite.
Number Arithmetic::combined(Binary op, const Number& a, const Number& b, Bound& bound) {
  const bool finite_a = is_finite(a.p), finite_b = is_finite(b.p);
  if (op == Binary::sub) return combined(Binary::add, a, negated(draw_, b), bound);
  if (finite_a && finite_b) {
    if (op == Binary::add) return {draw_.p.add(a.p, b.p), draw_.q.add(a.q, b.q)};
    return {draw_.p.mul(a.p, b.p), draw_.q.mul(a.q, b.q)};
  }
  if (op == Binary::add) {
    if (finite_a) return b;
    if (finite_b || a.p == b.p) return a;
    return no_value(bound);
  }
  const Number& infinite = finite_a ? b : a;
  const Number& factor = finite_a ? a : b;
  // The sign of other factors is unknown.
  if (factor.p == 1 || factor.p == plus_infinity) return infinite;
  if (factor.p == draw_.p.prime() - 1 || factor.p == minus_infinity)
    return negated(draw_, infinite);
  return no_value(bound);
}

Number Arithmetic::quotient(const Number& a, const Number& b, Bound& bound) {
  if (is_finite(a.p) && !is_finite(b.p)) return {};
  if (!is_finite(a.p) || b.p == 0) return no_value(bound);
  const Residue in_q =
      b.q == 0 ? draw_.unknown(text_seed("/"), b.p).q : draw_.q.mul(a.q, draw_.q.inverse(b.q));
  return {draw_.p.mul(a.p, draw_.p.inverse(b.p)), has_exponents_ ? in_q : 0};
}

// A comparison is a function of the difference.
Number Arithmetic::compared(Binary op, const Number& a, const Number& b, Bound& bound) {
  const auto truth = [&](bool is_true) { return Number{is_true, is_true}; };
  if (!is_finite(a.p) || !is_finite(b.p)) {
    if (a.p == b.p) return truth(op != Binary::lt);
    return truth(op != Binary::eq && (a.p == minus_infinity || b.p == plus_infinity));
  }
  if (a.p == b.p) return truth(op != Binary::lt);
  bound.has_unknown = true;
  const Number one = {1, 1};
  if (op == Binary::lt) return draw_.unknown(text_seed("<"), draw_.p.sub(b.p, a.p));
  if (op == Binary::le) {  // not b < a
    const Number above = draw_.unknown(text_seed("<"), draw_.p.sub(a.p, b.p));
    return {draw_.p.sub(one.p, above.p), draw_.q.sub(one.q, above.q)};
  }
  const Residue difference = draw_.p.sub(a.p, b.p);
  return draw_.unknown(text_seed("=="), draw_.p.mul(difference, difference));
}

// Inverts all elements together, with three products per element and a single inverse.
Tile Arithmetic::divided(const Tile& a, const Tile& b) {
  Tile out = make_tile(a.shape, has_exponents_);
  out.bound = product_of(a.bound, b.bound);
  out.bound.is_rational = true;
  out.bound.is_truth = false;
  const auto no_zero = [](const std::vector<Residue>& values) {
    return std::find(values.begin(), values.end(), 0U) == values.end();
  };
  if (!all_finite(a) || !all_finite(b) || !no_zero(b.p) || !no_zero(b.q)) {
    for (std::size_t i = 0; i < out.p.size(); ++i)
      out.put(i, quotient(a.at(i), b.at(i), out.bound));
    return out;
  }
  const auto divide = [](const Modulus& modulus, std::vector<Residue>& to,
                         const std::vector<Residue>& from, const std::vector<Residue>& by) {
    Residue product = 1;
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] = product;
      product = modulus.mul(product, by[i]);
    }
    Residue inverse = modulus.inverse(product);
    for (std::size_t i = to.size(); i-- > 0;) {
      to[i] = modulus.mul(modulus.mul(to[i], inverse), from[i]);
      inverse = modulus.mul(inverse, by[i]);
    }
  };
  divide(draw_.p, out.p, a.p, b.p);
  if (has_exponents_) divide(draw_.q, out.q, a.q, b.q);
  return out;
}

Tile Arithmetic::binary(Binary op, const Tile& a, const Tile& b) {
  if (op == Binary::div) return divided(a, b);
  Tile out = make_tile(a.shape, has_exponents_);
  const auto each = [&](auto&& f) {
    for (std::size_t i = 0; i < out.p.size(); ++i) out.put(i, f(a.at(i), b.at(i)));
  };
  if (op == Binary::add || op == Binary::sub || op == Binary::mul) {
    out.bound = op == Binary::mul ? product_of(a.bound, b.bound) : sum_of(a.bound, b.bound);
    if (all_finite(a) && all_finite(b)) {
      combine(op, draw_.p, out.p, a.p, b.p);
      if (has_exponents_) combine(op, draw_.q, out.q, a.q, b.q);
    } else {
      each([&](const Number& x, const Number& y) { return combined(op, x, y, out.bound); });
    }
  } else if (op == Binary::min || op == Binary::max) {
    out.bound = joined(a.bound, b.bound);
    out.bound.has_order = true;
    const bool wants_max = op == Binary::max;
    each([&](const Number& x, const Number& y) {
      if (!is_finite(x.p)) return (x.p == plus_infinity) == wants_max ? x : y;
      if (!is_finite(y.p)) return (y.p == plus_infinity) == wants_max ? y : x;
      if (draw_.comparisons != nullptr) draw_.comparisons->note(wants_max, x.p, y.p);
      return (draw_.rank(x.p) < draw_.rank(y.p)) == wants_max ? y : x;
    });
  } else {
    out.bound = value_at(joined(a.bound, b.bound));
    each([&](const Number& x, const Number& y) { return compared(op, x, y, out.bound); });
    out.bound.is_truth = true;
  }
  return out;
}

Tile Arithmetic::select(const Tile& condition, const Tile& a, const Tile& b) {
  Tile out = make_tile(a.shape, has_exponents_);
  Bound bound = joined(a.bound, b.bound), mixed = bound;
  bound.has_no_value = false;
  bool uses_a = false, uses_b = false;
  for (std::size_t i = 0; i < out.p.size(); ++i) {
    Number c = condition.at(i);
    const bool is_known = c.p == 0 || c.p == 1 || a.at(i) == b.at(i);
    uses_a = uses_a || !is_known || c.p != 0;
    uses_b = uses_b || !is_known || c.p == 0;
    if (is_known) {
      out.put(i, c.p == 0 ? b.at(i) : a.at(i));
      continue;
    }
    if (!condition.bound.is_truth) c = draw_.unknown(text_seed("is not 0"), c.p);
    mixed = sum_of(product_of(value_at(condition.bound), a.bound), b.bound);
    mixed.has_unknown = true;
    mixed.is_truth = a.bound.is_truth && b.bound.is_truth;
    const Number rest = combined(Binary::sub, {1, 1}, c, mixed);
    const Number yes = combined(Binary::mul, c, a.at(i), mixed);
    const Number no = combined(Binary::mul, rest, b.at(i), mixed);
    bound = joined(bound, mixed);
    bound.arguments = mixed.arguments;
    out.put(i, combined(Binary::add, yes, no, bound));
  }
  out.bound = bound;
  out.bound.has_no_value |= (uses_a && a.bound.has_no_value) || (uses_b && b.bound.has_no_value);
  return out;
}

Tile Arithmetic::exponential(const Tile& x) {
  Tile out = make_tile(x.shape, has_exponents_);
  out.bound = value_at(x.bound);
  out.bound.has_exponential = true;
  // If the argument contains an exponential, only congruence is known.
  const bool is_nested = x.bound.has_exponential;
  out.bound.has_unknown = out.bound.has_unknown || is_nested;
  const std::uint64_t tag = text_seed("exp");
  for (std::size_t i = 0; i < out.p.size(); ++i) {
    const Number from = x.at(i);
    Number to;
    if (from.p == plus_infinity) {
      to = from;
    } else if (from.p != minus_infinity) {
      to.p = is_nested ? draw_.unknown(tag, from.p).p : to_the_power(from.q);
      to.q = draw_.unknown(tag, to.p).q;
    }
    out.put(i, to);
  }
  return out;
}

Tile Arithmetic::unknown(std::string_view name, Tile x) const {
  const std::uint64_t tag = text_seed(name);
  for (std::size_t i = 0; i < x.p.size(); ++i) x.put(i, draw_.unknown(tag, x.p[i]));
  x.bound = value_at(x.bound);
  x.bound.has_unknown = true;
  return x;
}

Tile Arithmetic::unknown(std::string_view name, const Tile& a, const Tile& b) {
  const std::string text(name);
  return unknown(text,
                 binary(Binary::add, unknown(text + ", first", a), unknown(text + ", second", b)));
}

}  // namespace tessera::fields
