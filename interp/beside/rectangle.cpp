#include "interp/beside/rectangle.h"

namespace tessera::beside {

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

}  // namespace tessera::beside
