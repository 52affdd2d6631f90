#include "interp/field/plane.h"

namespace tessera::fields {

std::vector<std::int64_t> shape_of(const Box& box) {
  std::vector<std::int64_t> shape;
  for (int d = 0; d < box.rank; ++d)
    if (box.keeps(d)) shape.push_back(box.size[Box::at(d)]);
  return shape;
}

// Calls f(offset here, offset in the tile, length) for each row of the last dimension.
template <typename F>
void Plane::for_each_row(const Box& box, F&& f) const {
  if (box.empty()) return;
  const int last = box.rank - 1;
  const std::int64_t length = box.rank == 0 ? 1 : box.size[Box::at(last)];
  const std::int64_t count = box.elements() / length;
  Index at = box.start;
  for (std::int64_t row = 0; row < count; ++row) {
    std::int64_t offset = 0;
    for (int d = 0; d < box.rank; ++d) offset = offset * all_.shape[Box::at(d)] + at[Box::at(d)];
    f(static_cast<std::size_t>(offset), static_cast<std::size_t>(row * length),
      static_cast<std::size_t>(length));
    for (int d = last; d-- > 0;) {
      if (++at[Box::at(d)] < box.end(d)) break;
      at[Box::at(d)] = box.start[Box::at(d)];
    }
  }
}

Tile Plane::gather(const Box& box) const {
  Tile tile = make_tile(shape_of(box), all_.has_exponents());
  for_each_row(box, [&](std::size_t here, std::size_t there, std::size_t length) {
    std::copy_n(all_.p.data() + here, length, tile.p.data() + there);
    if (tile.has_exponents()) std::copy_n(all_.q.data() + here, length, tile.q.data() + there);
  });
  tile.bound = all_.bound;
  return tile;
}

void Plane::scatter(const Box& box, const Tile& tile) {
  for_each_row(box, [&](std::size_t here, std::size_t there, std::size_t length) {
    std::copy_n(tile.p.data() + there, length, all_.p.data() + here);
    if (tile.has_exponents()) std::copy_n(tile.q.data() + there, length, all_.q.data() + here);
  });
  if (box.elements() == all_.elements()) {
    all_.bound = tile.bound;
    return;
  }
  const double arguments = std::max(all_.bound.arguments, tile.bound.arguments);
  all_.bound = joined(all_.bound, tile.bound);
  all_.bound.arguments = arguments;
}

}  // namespace tessera::fields
