#include "core/passes/view_places.h"

#include <utility>

#include "core/program/refs.h"

namespace tessera {

ViewPlace::Layer layer_of(const Slice& slice, const ViewType& view) {
  ViewPlace::Layer layer{view.dtype, view.shape, {}, slice.dropped};
  layer.size.assign(slice.size.begin(), slice.size.begin() + slice.rank);
  return layer;
}

// Returns a tile that the current statement does not use yet; later statements may reuse it.
Slice ViewTiles::fresh(const ViewPlace::Layer& layer, DType dtype) {
  Shape bound;
  for (std::size_t d = 0; d < layer.size.size(); ++d)
    bound.push_back(builder_.program().constant(layer.size[d]).value_or(layer.bound[d]));
  const Key key{dtype, bound};
  std::vector<ValueId>& made = tiles_[key];
  const std::size_t next = taken_[key]++;
  if (next == made.size()) {
    Buffer buffer;
    buffer.name = "t";
    buffer.space = Space::tile;
    buffer.dtype = dtype;
    buffer.shape = bound;
    made.push_back(builder_.buffer(std::move(buffer)));
    builder_.program().values[made.back()].name.clear();
  }
  Slice slice = builder_.whole(made[next]);
  for (std::size_t d = 0; d < layer.size.size(); ++d) slice.size[d] = layer.size[d];
  return slice;
}

void ViewTiles::move(const Slice& to, const Slice& from, bool is_bits) {
  if (is_bits)
    builder_.emit(Bitcast{to, from});
  else
    builder_.emit(Regroup{to, from});
}

Slice ViewTiles::tile(const ViewPlace& place, bool reads, bool writes) {
  Slice at = place.slice;
  DType dtype = ref_info(builder_.program(), at.base).dtype;
  std::vector<Move> moves;
  const auto step = [&](const ViewPlace::Layer& layer, DType to, bool is_bits) {
    const Slice next = fresh(layer, to);
    moves.push_back({next, at, is_bits});
    at = next;
    dtype = to;
  };
  for (const ViewPlace::Layer& layer : place.layers) {
    const bool is_retyped = layer.dtype != dtype;
    // With types of equal width, a view may change both the type and the shape.
    if (!is_retyped || size_of(layer.dtype) == size_of(dtype)) step(layer, dtype, false);
    if (is_retyped) step(layer, layer.dtype, true);
    at.dropped = layer.dropped;
  }
  if (reads)
    for (const Move& each : moves) move(each.outer, each.inner, each.is_bits);
  if (writes) back_.insert(back_.end(), moves.rbegin(), moves.rend());
  return at;
}

void ViewTiles::put_back() {
  for (const Move& each : std::exchange(back_, {})) move(each.inner, each.outer, each.is_bits);
  taken_.clear();
}

}  // namespace tessera
