#include "interp/field/tile.h"

#include <utility>

namespace tessera::fields {

Bound joined(const Bound& a, const Bound& b) {
  return {.degree = std::max(a.degree, b.degree),
          .arguments = a.arguments + b.arguments,
          .is_rational = a.is_rational || b.is_rational,
          .has_exponential = a.has_exponential || b.has_exponential,
          .has_unknown = a.has_unknown || b.has_unknown,
          .has_order = a.has_order || b.has_order,
          .has_no_value = a.has_no_value || b.has_no_value,
          .is_truth = a.is_truth && b.is_truth};
}

Bound sum_of(const Bound& a, const Bound& b, double terms) {
  Bound bound = joined(a, b);
  // Over a common denominator the degrees of all terms add up.
  if (bound.is_rational) bound.degree = a.degree + terms * b.degree;
  bound.arguments = a.arguments + terms * b.arguments;
  bound.is_truth = false;
  return bound;
}

Bound product_of(const Bound& a, const Bound& b) {
  Bound bound = joined(a, b);
  bound.degree = a.degree + b.degree;
  return bound;
}

Bound value_at(const Bound& argument) {
  Bound bound = argument;
  bound.degree = std::max(1.0, argument.degree);
  bound.arguments += 1;
  bound.is_rational = false;
  bound.is_truth = false;
  return bound;
}

std::int64_t elements_of(const std::vector<std::int64_t>& shape) {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return product;
}

Tile make_tile(std::vector<std::int64_t> shape, bool has_exponents, const Number& fill) {
  Tile tile;
  const auto n = static_cast<std::size_t>(elements_of(shape));
  tile.shape = std::move(shape);
  tile.p.assign(n, fill.p);
  if (has_exponents) tile.q.assign(n, fill.q);
  return tile;
}

Tile repeated(const Tile& tile, const std::vector<std::int64_t>& shape) {
  if (tile.shape == shape) return tile;
  Tile result = make_tile(shape, tile.has_exponents());
  result.bound = tile.bound;
  if (result.p.empty()) return result;
  const std::size_t rank = shape.size(), missing = rank - tile.shape.size();
  std::vector<std::int64_t> stride(rank, 0), at(rank, 0);
  std::int64_t step = 1;
  for (std::size_t d = rank; d-- > missing;) {
    const std::int64_t extent = tile.shape[d - missing];
    stride[d] = extent == 1 ? 0 : step;
    step *= extent;
  }
  std::int64_t from = 0;
  for (std::size_t i = 0; i < result.p.size(); ++i) {
    result.put(i, tile.at(static_cast<std::size_t>(from)));
    for (std::size_t d = rank; d-- > 0;) {
      from += stride[d];
      if (++at[d] < shape[d]) break;
      from -= shape[d] * stride[d];
      at[d] = 0;
    }
  }
  return result;
}

Tile transposed(const Tile& tile) {
  const std::int64_t rows = tile.shape[0], cols = tile.shape[1];
  Tile result = make_tile({cols, rows}, tile.has_exponents());
  result.bound = tile.bound;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j)
      result.put(static_cast<std::size_t>(j * rows + i),
                 tile.at(static_cast<std::size_t>(i * cols + j)));
  return result;
}

}  // namespace tessera::fields
