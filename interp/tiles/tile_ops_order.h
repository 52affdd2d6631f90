// Tile ops that only reorder elements or reinterpret their bits. Both sides have the same element
// type, except in `bitcast`. Each op records the initialised elements in dst's storage.
#pragma once
#include "interp/memory/view.h"
#include "interp/tiles/context.h"

namespace tessera::tile {

// Copies the elements of src to dst in row-major order. Both have the same number of elements.
void regroup(const TileView& dst, const TileView& src, const Context& context);
// dst[.., i, ..] = src[.., i * step, ..] along dimension `dim`.
void every(const TileView& dst, const TileView& src, int dim, std::int64_t step,
           const Context& context);
// Copies the bits of src to dst. Requires equal shapes if the element widths are equal, and
// bitcast_dim() >= 0 otherwise.
void bitcast(const TileView& dst, const TileView& src, const Context& context);
// Returns the dimension along which elements are joined or split, if the shapes differ in only one
// dimension, by the quotient of the widths; -1: equal widths and shapes; -2: the shapes do not fit.
int bitcast_dim(const TileView& dst, const TileView& src);

}  // namespace tessera::tile
