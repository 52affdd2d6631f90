// Reductions along a dimension, and matrix products.
#include "analysis/equality/arithmetic.h"
#include "analysis/equality/product.h"

namespace tessera::fields {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// Returns element i of each line.
Tile line_of(const Tile& x, const shadow::Lines& lines, std::int64_t i,
             const std::vector<std::int64_t>& shape) {
  Tile line = make_tile(shape, x.has_exponents());
  line.bound = x.bound;
  for (std::int64_t o = 0; o < lines.outer; ++o)
    for (std::int64_t n = 0; n < lines.inner; ++n)
      line.put(index(o * lines.inner + n), x.at(index((o * lines.extent + i) * lines.inner + n)));
  return line;
}

}  // namespace

Tile Arithmetic::sum(const Tile& x, std::size_t dim) {
  const shadow::Lines lines = shadow::lines_along(x.shape, dim);
  Tile out = make_tile(shadow::reduced(x.shape, dim), has_exponents_);
  out.bound = sum_of({}, x.bound, static_cast<double>(lines.extent));
  std::int64_t from = 0;
  for (std::int64_t o = 0; o < lines.outer; ++o)
    for (std::int64_t i = 0; i < lines.extent; ++i)
      for (std::int64_t n = 0; n < lines.inner; ++n, ++from) {
        const std::size_t to = index(o * lines.inner + n);
        out.put(to, combined(Binary::add, out.at(to), x.at(index(from)), out.bound));
      }
  return out;
}

Tile Arithmetic::of_truths(bool wants_max, const Tile& x, std::size_t dim) {
  const shadow::Lines lines = shadow::lines_along(x.shape, dim);
  const std::vector<std::int64_t> shape = shadow::reduced(x.shape, dim);
  const Tile ones = make_tile(shape, has_exponents_, {1, 1});
  Tile out = ones;
  for (std::int64_t i = 0; i < lines.extent; ++i) {
    const Tile line = line_of(x, lines, i, shape);
    out = binary(Binary::mul, out, wants_max ? binary(Binary::sub, ones, line) : line);
  }
  if (wants_max) out = binary(Binary::sub, ones, out);
  out.bound.is_truth = true;
  return out;
}

Tile Arithmetic::outermost(bool wants_max, const Tile& x, std::size_t dim) {
  const shadow::Lines lines = shadow::lines_along(x.shape, dim);
  const std::vector<std::int64_t> shape = shadow::reduced(x.shape, dim);
  const Residue none = wants_max ? minus_infinity : plus_infinity;
  Tile out = make_tile(shape, has_exponents_, {none, none});
  for (std::int64_t i = 0; i < lines.extent; ++i) {
    out = binary(wants_max ? Binary::max : Binary::min, out, line_of(x, lines, i, shape));
  }
  out.bound = x.bound;
  out.bound.arguments *= static_cast<double>(lines.extent);
  out.bound.has_order = true;
  return out;
}

// One of the products, with numbers that may be infinite.
void Arithmetic::multiply(Tile& acc, const Tile& a, const Tile& b, const shadow::ProductExtents& of,
                          std::int64_t product) {
  for (std::int64_t i = 0; i < of.m; ++i)
    for (std::int64_t j = 0; j < of.n; ++j) {
      const std::size_t at = index((product * of.m + i) * of.n + j);
      Number sum = acc.at(at);
      for (std::int64_t s = 0; s < of.k; ++s)
        sum = combined(Binary::add, sum,
                       combined(Binary::mul, a.at(index((product * of.m + i) * of.k + s)),
                                b.at(index((product * of.k + s) * of.n + j)), acc.bound),
                       acc.bound);
      acc.put(at, sum);
    }
}

Tile Arithmetic::product(Tile acc, const Tile& a, const Tile& b) {
  const shadow::ProductExtents of = *shadow::product_extents(acc.shape, a.shape, b.shape);
  acc.bound = sum_of(acc.bound, product_of(a.bound, b.bound), static_cast<double>(of.k));
  const bool are_finite = all_finite(acc) && all_finite(a) && all_finite(b);
  for (std::int64_t i = 0; i < of.products; ++i) {
    const std::int64_t to = i * of.m * of.n, left = i * of.m * of.k, right = i * of.k * of.n;
    if (!are_finite) {
      multiply(acc, a, b, of, i);
      continue;
    }
    multiply_add(acc.p.data() + to, a.p.data() + left, b.p.data() + right, of.m, of.k, of.n,
                 draw_.p);
    if (has_exponents_)
      multiply_add(acc.q.data() + to, a.q.data() + left, b.q.data() + right, of.m, of.k, of.n,
                   draw_.q);
  }
  return acc;
}

}  // namespace tessera::fields
