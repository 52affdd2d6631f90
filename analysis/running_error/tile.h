// Tiles of error bounds, with or without the machine's values.
#pragma once
#include <cstdint>
#include <tuple>
#include <vector>

#include "analysis/running_error/bound.h"
#include "analysis/shadow/rectangle.h"
#include "core/data/dtype.h"

namespace tessera::running_error {

using shadow::Extents;

struct Tile {
  Extents shape;
  std::vector<Bound> bounds;   // row-major; empty: all are exact
  std::vector<double> values;  // only for operands
  DType dtype = DType::f32;    // only for operands; broadcast scalars: i64 or f32

  std::size_t elements() const { return static_cast<std::size_t>(shadow::elements_of(shape)); }
  bool is_exact() const { return bounds.empty(); }
  Bound bound(std::size_t i) const { return bounds.empty() ? 0 : bounds[i]; }
  // Returns element i of an operand. Integers beyond 2^53 may not be exact in double, so their
  // bound is larger.
  Number at(std::size_t i) const {
    const double value = values[i], size = value < 0 ? -value : value;
    if (dtype != DType::i64 || size < 0x1p53 || !is_known(bound(i))) return {value, bound(i)};
    return {value, bound(i) + static_cast<Bound>(size * 0x1p-51)};
  }

  // Required by analysis/shadow/tile.h and memory.h.
  auto columns() { return std::tie(bounds, values); }
  auto columns() const { return std::tie(bounds, values); }
  Tile like(const Extents& other) const { return {other, {}, {}, dtype}; }
  bool is_machines() const { return is_exact(); }
  bool has_machines() const { return is_exact(); }
  // Clears the bounds if all are 0.
  void simplify();
  void cover(const Tile&, bool) {}
};

// Returns one of the matrices in the last two dimensions of a tile, which must exist. index:
// row-major over the other dimensions.
Tile matrix_of(const Tile& tile, std::size_t index);

}  // namespace tessera::running_error
