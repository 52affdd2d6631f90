// Slices of views with another shape or type: their memory, and the temporary tiles that tile ops
// use instead. Such a tile has the slice's shape and type; it is filled from memory before the op
// and stored back after it.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/program/builder.h"
#include "core/program/view_shape.h"

namespace tessera {

// A rectangle of memory, and the layers of views through which a slice accesses it, innermost
// first.
struct ViewPlace {
  struct Layer {
    DType dtype = DType::f32;
    Shape bound;                // extents of the view, including dropped dimensions
    std::vector<ValueId> size;  // sizes of the slice in these dimensions
    std::uint8_t dropped = 0;
  };
  Slice slice;
  std::vector<Layer> layers;  // empty: the slice itself
};

// Returns the layer for a slice of a view; view: type of the view.
ViewPlace::Layer layer_of(const Slice& slice, const ViewType& view);

class ViewTiles {
 public:
  // `builder` must outlive this object.
  explicit ViewTiles(Builder& builder) : builder_(builder) {}

  // Returns a tile to use instead of `place` in the current statement; without layers, the slice of
  // `place`. reads: emits ops that fill the tile from memory; writes: put_back() stores it to
  // memory.
  Slice tile(const ViewPlace& place, bool reads, bool writes);
  // Emits ops that store the written tiles to memory. Must be called after each statement.
  void put_back();

 private:
  using Key = std::pair<DType, Shape>;
  // Returns a tile that the current statement does not use yet, with the sizes of the layer.
  Slice fresh(const ViewPlace::Layer& layer, DType dtype);
  // A step between memory (inner) and tile (outer). is_bits: a bitcast; else a reshape.
  struct Move {
    Slice outer, inner;
    bool is_bits;
  };
  void move(const Slice& to, const Slice& from, bool is_bits);

  Builder& builder_;
  std::map<Key, std::vector<ValueId>> tiles_;  // all tiles created, for any statement
  std::map<Key, std::size_t> taken_;           // number of these used by the current statement
  std::vector<Move> back_;                     // steps of put_back(), in order
};

}  // namespace tessera
