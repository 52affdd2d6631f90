#include "analysis/shadow/rectangle.h"

#include <numeric>
#include <utility>

namespace tessera::shadow {

Extents shape_of(const Box& box) {
  Extents shape;
  for (int d = 0; d < box.rank; ++d)
    if (box.keeps(d)) shape.push_back(box.size[Box::at(d)]);
  return shape;
}

std::int64_t elements_of(const Extents& shape) {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return product;
}

bool can_repeat(const Extents& from, const Extents& to) {
  if (from.size() > to.size()) return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::int64_t here = from[i], there = to[i + to.size() - from.size()];
    if (here != 1 && here != there) return false;
  }
  return true;
}

bool is_every(const Extents& from, const Extents& to, std::int64_t dim, std::int64_t step) {
  if (from.size() != to.size()) return false;
  for (std::size_t d = 0; d < to.size(); ++d) {
    const std::int64_t each = static_cast<std::int64_t>(d) == dim ? step : 1;
    if (to[d] != (from[d] + each - 1) / each) return false;
  }
  return true;
}

Extents permuted(const Extents& from, const std::vector<int>& order) {
  Extents to;
  for (const int d : order) to.push_back(from[static_cast<std::size_t>(d)]);
  return to;
}

std::vector<int> last_two_exchanged(std::size_t rank) {
  std::vector<int> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (rank >= 2) std::swap(order[rank - 2], order[rank - 1]);
  return order;
}

Lines lines_along(const Extents& shape, std::size_t dim) {
  Lines lines{1, shape[dim], 1};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d < dim) lines.outer *= shape[d];
    if (d > dim) lines.inner *= shape[d];
  }
  return lines;
}

Extents reduced(Extents shape, std::size_t dim) {
  shape[dim] = 1;
  return shape;
}

std::optional<ProductExtents> product_extents(const Extents& acc, const Extents& a,
                                              const Extents& b) {
  const std::size_t rank = acc.size();
  if (rank < 2 || a.size() != rank || b.size() != rank) return std::nullopt;
  ProductExtents extents{1, acc[rank - 2], a[rank - 1], acc[rank - 1]};
  for (std::size_t d = 0; d + 2 < rank; ++d) {
    if (a[d] != acc[d] || b[d] != acc[d]) return std::nullopt;
    extents.products *= acc[d];
  }
  if (a[rank - 2] != extents.m || b[rank - 1] != extents.n || b[rank - 2] != extents.k)
    return std::nullopt;
  return extents;
}

}  // namespace tessera::shadow
