// Where slices of views with another shape or type lie, and what ops on tiles take in their place:
// a tile of the slice's shape and type, made of the memory before the op and put back behind it.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/program/builder.h"
#include "core/program/view_shape.h"

namespace tessera {

// A rectangle of memory, and what a slice of a view is beside it, from the inner view outward.
struct ViewPlace {
  struct Layer {
    DType dtype = DType::f32;
    Shape bound;                // of the slice, dropped dimensions too
    std::vector<ValueId> size;  // of each
    std::uint8_t dropped = 0;
  };
  Slice slice;
  std::vector<Layer> layers;  // none: the slice itself
};

// A layer for a slice of a view of that type.
ViewPlace::Layer layer_of(const Slice& slice, const ViewType& view);

class ViewTiles {
 public:
  explicit ViewTiles(Builder& builder) : builder_(builder) {}

  // The tile that stands for the place in the statement at hand. reads: it has the place's
  // elements; writes: put_back() stores it there.
  Slice tile(const ViewPlace& place, bool reads, bool writes);
  // Behind the statement: what stands in tiles that it writes goes back into memory.
  void put_back();

 private:
  using Key = std::pair<DType, Shape>;
  Slice fresh(const ViewPlace::Layer& layer, DType dtype);
  // From the rectangle to the tile, or back.
  struct Move {
    Slice outer, inner;
    bool is_bits;
  };
  void move(const Slice& to, const Slice& from, bool is_bits);

  Builder& builder_;
  std::map<Key, std::vector<ValueId>> tiles_;  // that were made, for any statement
  std::map<Key, std::size_t> taken_;           // of them, by the statement at hand
  std::vector<Move> back_;                     // in the order of the statement behind
};

}  // namespace tessera
