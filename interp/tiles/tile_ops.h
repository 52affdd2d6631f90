// The tile ops of ops.def on views. Each reads its sources, writes every element of dst, and
// records in dst's storage which elements are now initialised. Sources broadcast along dimensions
// of size 1 and may be numbers; dst may overlap them in any way. Floats compute in f32, integers in
// i64, with one rounding to dst's type at the end.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "interp/memory/initialisation.h"
#include "interp/memory/view.h"
#include "interp/tiles/context.h"
#include "interp/tiles/integer_ops.h"

namespace tessera::tile {

using shapes::Binary;
using Reduce = shapes::Reduction;

void cast(const TileView& dst, const TileView& src, const Context& context);  // dst = src
// Each element of dst becomes its index in dimension `dim`, also with Math::none.
void iota(const TileView& dst, int dim, const Context& context);
// Writes zeros for unknown values. They are undefined if `undefined`, their origin, is set.
void unknown(const TileView& dst, const std::optional<Origin>& undefined, const Context& context);
// dst = a op b, in f32 if either source is a float; comparisons give 1 or 0. Integers wrap in the
// widest type of the three, so that a sum is the same in every order.
void binary(Binary op, const TileView& dst, const TileView& a, const TileView& b,
            const Context& context);
// dst = a op b on integers, computed in integer_type().
void integers(IntegerBinary op, const TileView& dst, const TileView& a, const TileView& b,
              const Context& context);
// dst = src, rounded towards zero. dst must have an integer type. Floats saturate, NaN gives 0;
// integers wrap.
void truncate(const TileView& dst, const TileView& src, const Context& context);
// dst = a if the element of the condition is not 0, else b.
void select(const TileView& dst, const TileView& condition, const TileView& a, const TileView& b,
            const Context& context);
// dst = f(src), computed in double and rounded to f32 first. The last bit of libm's double then
// rarely matters, so results rarely depend on the machine's libm.
void apply(shapes::Function function, const TileView& dst, const TileView& src,
           const Context& context);
using FunctionOfTwo = double (*)(double, double);
// dst = f(a, b), computed and rounded in the same way.
void apply(FunctionOfTwo f, const TileView& dst, const TileView& a, const TileView& b,
           const Context& context);
// dst = src * scale. Each element of scale applies to one block of dst. Requires cuts(scale, dst).
void scale(const TileView& dst, const TileView& src, const TileView& scale, const Context& context);
// True if both have the same rank, at most 3, and the extents of scale divide the extents of tile.
bool cuts(const TileView& scale, const TileView& tile);
// Dimension d of dst is dimension order[d] of src.
void permute(const TileView& dst, const TileView& src, const std::vector<int>& order,
             const Context& context);
// Reduces src along dim, in which dst has size 1. Sums are added in ascending order. Without
// elements, a sum is 0, and a float maximum or minimum is -inf or inf.
void reduce(Reduce op, int dim, const TileView& dst, const TileView& src, const Context& context);

// acc += a . b. acc is a view from Storage::update(); its type is f32, or i32 if a and b are
// integers; i8 can also be added to f32. Requires rank 2 or more. The leading dimensions are the
// same for all three; there is one product for each of their indices.
void matmul(const TileView& acc, const TileView& a, const TileView& b, Transposed transposed,
            const Context& context);

// Returns a view of the same elements with `rank` dimensions, at least its own rank. The added
// leading dimensions have size 1. Numbers and single elements without dimensions are returned
// unchanged, since they are broadcast anyway.
TileView with_rank(const TileView& view, int rank);
// True if a source, with rank 0 or the rank of dst, can be broadcast to dst: each size is equal or
// 1. Check this before calling an op.
bool broadcasts(const TileView& src, const TileView& dst);

}  // namespace tessera::tile
