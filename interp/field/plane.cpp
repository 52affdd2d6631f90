#include "interp/field/plane.h"

namespace tessera::fields {

std::vector<std::int64_t> shape_of(const Box& box) {
  std::vector<std::int64_t> shape;
  for (int d = 0; d < box.rank; ++d)
    if (box.keeps(d)) shape.push_back(box.size[Box::at(d)]);
  return shape;
}

// Calls f(offset here, offset in the tile, length) for each stretch that lies in one piece here:
// rows of the last dimension, or what follows a dimension of which the box has a part.
template <typename F>
void Plane::for_each_stretch(const Box& box, F&& f) const {
  if (box.empty()) return;
  int outer = box.rank;  // dimensions before those in one piece
  std::int64_t length = 1;
  for (bool is_whole = true; is_whole && outer > 0;) {
    --outer;
    length *= box.size[Box::at(outer)];
    is_whole = box.size[Box::at(outer)] == all_.shape[Box::at(outer)];
  }
  const std::int64_t count = box.elements() / length;
  Index at = box.start;
  for (std::int64_t stretch = 0; stretch < count; ++stretch) {
    std::int64_t offset = 0;
    for (int d = 0; d < box.rank; ++d) offset = offset * all_.shape[Box::at(d)] + at[Box::at(d)];
    f(static_cast<std::size_t>(offset), static_cast<std::size_t>(stretch * length),
      static_cast<std::size_t>(length));
    for (int d = outer; d-- > 0;) {
      if (++at[Box::at(d)] < box.end(d)) break;
      at[Box::at(d)] = box.start[Box::at(d)];
    }
  }
}

Tile Plane::gather(const Box& box) const {
  Tile tile;
  tile.shape = shape_of(box);
  tile.p.reserve(static_cast<std::size_t>(box.elements()));
  if (all_.has_exponents()) tile.q.reserve(tile.p.capacity());
  const auto append = [](std::vector<Residue>& to, const Residue* from, std::size_t length) {
    to.insert(to.end(), from, from + length);
  };
  for_each_stretch(box, [&](std::size_t here, std::size_t, std::size_t length) {
    append(tile.p, all_.p.data() + here, length);
    if (all_.has_exponents()) append(tile.q, all_.q.data() + here, length);
  });
  tile.bound = all_.bound;
  return tile;
}

void Plane::scatter(const Box& box, const Tile& tile) {
  for_each_stretch(box, [&](std::size_t here, std::size_t there, std::size_t length) {
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
