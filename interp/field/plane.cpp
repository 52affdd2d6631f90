#include "interp/field/plane.h"

namespace tessera::fields {

Tile Plane::gather(const Box& box) const {
  Tile tile;
  tile.shape = beside::shape_of(box);
  tile.p = beside::gathered(all_.p, all_.shape, box);
  if (all_.has_exponents()) tile.q = beside::gathered(all_.q, all_.shape, box);
  tile.bound = all_.bound;
  return tile;
}

void Plane::scatter(const Box& box, const Tile& tile) {
  beside::scatter(all_.p, all_.shape, box, tile.p);
  if (tile.has_exponents()) beside::scatter(all_.q, all_.shape, box, tile.q);
  if (box.elements() == all_.elements()) {
    all_.bound = tile.bound;
    return;
  }
  const double arguments = std::max(all_.bound.arguments, tile.bound.arguments);
  all_.bound = joined(all_.bound, tile.bound);
  all_.bound.arguments = arguments;
}

}  // namespace tessera::fields
