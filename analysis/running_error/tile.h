// Rectangles of bounds, with or without the machine's values beside them.
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
  std::vector<double> values;  // of operands
  DType dtype = DType::f32;    // of operands; i64 or f32 of a number that stands for all elements

  std::size_t elements() const { return static_cast<std::size_t>(shadow::elements_of(shape)); }
  bool is_exact() const { return bounds.empty(); }
  Bound bound(std::size_t i) const { return bounds.empty() ? 0 : bounds[i]; }
  // An integer beyond 2^53 has no double of its own.
  Number at(std::size_t i) const {
    const double value = values[i], size = value < 0 ? -value : value;
    if (dtype != DType::i64 || size < 0x1p53 || !is_known(bound(i))) return {value, bound(i)};
    return {value, bound(i) + static_cast<Bound>(size * 0x1p-51)};
  }

  // As analysis/shadow/tile.h and memory.h require.
  auto columns() { return std::tie(bounds, values); }
  auto columns() const { return std::tie(bounds, values); }
  Tile like(const Extents& other) const { return {other, {}, {}, dtype}; }
  bool is_machines() const { return is_exact(); }
  bool has_machines() const { return is_exact(); }
  // Without bounds that are all 0.
  void simplify();
  void cover(const Tile&, bool) {}
};

// One of the matrices of a tile whose last two dimensions they are.
Tile matrix_of(const Tile& tile, std::size_t index);

}  // namespace tessera::running_error
