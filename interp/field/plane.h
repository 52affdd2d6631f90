// The field values of one buffer at one site, beside the machine's memory.
#pragma once
#include <cstdint>

#include "core/program/program.h"
#include "interp/beside/rectangle.h"
#include "interp/field/tile.h"

namespace tessera::fields {

class Plane {
 public:
  Plane() = default;
  // Each element as `first` gives it by its logical index, row-major.
  template <typename First>
  Plane(const Shape& shape, bool has_exponents, First&& first)
      : exists_(true), all_(make_tile({shape.begin(), shape.end()}, has_exponents)) {
    for (std::size_t i = 0; i < all_.p.size(); ++i)
      all_.put(i, first(static_cast<std::int64_t>(i)));
  }

  bool exists() const { return exists_; }
  void set_bound(const Bound& bound) { all_.bound = bound; }
  // The elements of a rectangle, with the shape of its kept dimensions.
  Tile gather(const Box& box) const;
  // The tile's elements, in their order, into a rectangle with as many.
  void scatter(const Box& box, const Tile& tile);

 private:
  bool exists_ = false;
  Tile all_;
};

}  // namespace tessera::fields
