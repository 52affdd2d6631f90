// Tracks the initialised elements of the results of tile ops.
#pragma once
#include <initializer_list>

#include "interp/memory/shadow.h"
#include "interp/memory/view.h"
#include "interp/tiles/context.h"

namespace tessera::tile {

// Records dst of an elementwise op: an element is undefined if the corresponding element of any
// source is.
void record(const TileView& dst, std::initializer_list<const TileView*> sources,
            const Context& context);
// Makes all of dst undefined, with `place` as the origin.
void record_undefined(const TileView& dst, PlaceId place, const Context& context);
// Returns the defined elements of a select, in which only the chosen element of a and b matters, as
// a row-major mask of dst; an empty one if all operands are initialised. Call it before dst is
// written.
BitPlane selected(const TileView& dst, const TileView& condition, const TileView& a,
                  const TileView& b);
// Records dst of a select. mask: result of selected().
void record_select(const TileView& dst, const TileView& condition, const TileView& a,
                   const TileView& b, const BitPlane& mask, const Context& context);
// Records dst of an op that copies the elements of src in row-major order.
void record_in_order(const TileView& dst, const TileView& src, const Context& context);
// Records dst of a bitcast along `dim`. A joined element is undefined if one of its parts is; a
// split element is undefined if the wider element is.
void record_bits(const TileView& dst, const TileView& src, int dim, const Context& context);
// Records dst of a reduction: an element is undefined if one of the elements of src along dim is.
void record_reduce(const TileView& dst, const TileView& src, int dim, const Context& context);
// Records acc of a matmul: row i of a matrix of acc becomes undefined if an element in row i of a
// is; column j, if an element in column j of b is.
void record_matmul(const TileView& acc, const TileView& a, const TileView& b, Transposed transposed,
                   const Context& context);

}  // namespace tessera::tile
