#include "analysis/equality/tile.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

namespace tessera::fields {

Bound joined(const Bound& a, const Bound& b) {
  return {.degree = std::max(a.degree, b.degree),
          .arguments = a.arguments + b.arguments,
          .height = std::max(a.height, b.height),
          .denominator = std::max(a.denominator, b.denominator),
          .argument_degree = std::max(a.argument_degree, b.argument_degree),
          .argument_height = std::max(a.argument_height, b.argument_height),
          .is_rational = a.is_rational || b.is_rational,
          .has_exponential = a.has_exponential || b.has_exponential,
          .has_unknown = a.has_unknown || b.has_unknown,
          .has_order = a.has_order || b.has_order,
          .has_no_value = a.has_no_value || b.has_no_value,
          .is_truth = a.is_truth && b.is_truth};
}

Bound sum_of(const Bound& a, const Bound& b, double terms) {
  Bound bound = joined(a, b);
  const double all = b.height + std::log2(std::max(1.0, terms));
  bound.height = std::max(a.height, all) + bound.denominator + 1;
  // Over a common denominator the degrees of all terms add up.
  if (bound.is_rational) {
    bound.degree = a.degree + terms * b.degree;
    bound.height = a.height + terms * b.height + std::log2(std::max(1.0, terms)) + 1;
  }
  bound.arguments = a.arguments + terms * b.arguments;
  bound.is_truth = false;
  return bound;
}

Bound product_of(const Bound& a, const Bound& b) {
  Bound bound = joined(a, b);
  bound.degree = a.degree + b.degree;
  bound.height = a.height + b.height;
  bound.denominator = a.denominator + b.denominator;
  return bound;
}

Bound value_at(const Bound& argument) {
  const Bound difference = sum_of(argument, argument);
  Bound bound = argument;
  bound.argument_degree = std::max({1.0, argument.argument_degree, difference.degree});
  bound.argument_height = std::max(argument.argument_height, difference.height);
  bound.degree = 1;
  bound.arguments += 1;
  bound.height = bound.denominator = 0;
  bound.is_rational = false;
  bound.is_truth = false;
  return bound;
}

Bound bound_of(std::int64_t integer) {
  return {.height = std::log2(std::abs(static_cast<double>(integer)) + 1)};
}

Bound bound_of(double literal) {
  if (std::isinf(literal)) return {};
  const std::string text = fmt::format("{}", std::abs(literal));
  const std::size_t power = text.find('e'), end = std::min(power, text.size());
  const std::size_t dot = std::min(text.find('.'), end);
  double exponent = power < text.size() ? std::stod(text.substr(power + 1)) : 0;
  if (dot < end) exponent -= static_cast<double>(end - dot - 1);
  const double ten = std::log2(10.0), digits = static_cast<double>(end);
  const double denominator = ten * std::max(0.0, -exponent);
  const double numerator = ten * (digits + std::max(0.0, exponent));
  return {.height = std::max(numerator, denominator), .denominator = denominator};
}

Tile make_tile(std::vector<std::int64_t> shape, bool has_exponents, const Number& fill) {
  Tile tile;
  const auto n = static_cast<std::size_t>(shadow::elements_of(shape));
  tile.shape = std::move(shape);
  tile.p.assign(n, fill.p);
  if (has_exponents) tile.q.assign(n, fill.q);
  return tile;
}

bool all_finite(const Tile& tile) {
  const auto together = [](const std::vector<Residue>& values) {
    return std::accumulate(values.begin(), values.end(), Residue{0}, std::bit_or<>());
  };
  return is_finite(together(tile.p)) && is_finite(together(tile.q));
}

void Tile::cover(const Tile& tile, bool is_whole) {
  if (is_whole) {
    bound = tile.bound;
    return;
  }
  const double arguments = std::max(bound.arguments, tile.bound.arguments);
  bound = joined(bound, tile.bound);
  bound.arguments = arguments;
}

}  // namespace tessera::fields
