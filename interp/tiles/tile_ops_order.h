// Tile ops that compute nothing: the elements of a tile, or their bits, in another shape. Both
// sides have one element type but in `bitcast`. Each records in dst's storage what is now
// initialised.
#pragma once
#include "interp/memory/view.h"
#include "interp/tiles/context.h"

namespace tessera::tile {

// dst = the elements of src, row by row; as many.
void regroup(const TileView& dst, const TileView& src, const Context& context);
// dst[.., i, ..] = src[.., i * step, ..] along the dimension; dst has as many as there are.
void every(const TileView& dst, const TileView& src, int dim, std::int64_t step,
           const Context& context);
// dst = the bits of src. Elements of one width have one shape; else can_bitcast holds.
void bitcast(const TileView& dst, const TileView& src, const Context& context);
// Whether the shapes are equal, or differ in one dimension by the quotient of the widths, which is
// then the dimension along which elements are joined or split; -1: of equal widths; -2: they do not
// fit.
int bitcast_dim(const TileView& dst, const TileView& src);

}  // namespace tessera::tile
