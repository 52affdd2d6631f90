// Which elements of a tile op's result are initialised.
#pragma once
#include <initializer_list>

#include "interp/memory/shadow.h"
#include "interp/memory/view.h"
#include "interp/tiles/context.h"

namespace tessera::tile {

// An element of dst is undefined when that element of any source is.
void record(const TileView& dst, std::initializer_list<const TileView*> sources,
            const Context& context);
// All of dst is, for what was made so there.
void record_undefined(const TileView& dst, PlaceId place, const Context& context);
// The same where only the chosen element of a and b matters; call it before dst is written.
BitPlane selected(const TileView& dst, const TileView& condition, const TileView& a,
                  const TileView& b);
void record_select(const TileView& dst, const TileView& condition, const TileView& a,
                   const TileView& b, const BitPlane& mask, const Context& context);
// As many elements, row by row.
void record_in_order(const TileView& dst, const TileView& src, const Context& context);
// Elements along `dim` are joined to wider ones, undefined when one of them is, or split, undefined
// when the wider one is.
void record_bits(const TileView& dst, const TileView& src, int dim, const Context& context);
// An element of dst is undefined when one of src along dim is.
void record_reduce(const TileView& dst, const TileView& src, int dim, const Context& context);
// Row i of a matrix of acc is undefined when one of a's row i is; column j when one of b's column j
// is.
void record_matmul(const TileView& acc, const TileView& a, const TileView& b, Transposed transposed,
                   const Context& context);

}  // namespace tessera::tile
