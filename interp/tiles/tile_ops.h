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

// Integers wrap in the widest type of the three, so that a sum is the same in every order.
using shapes::Binary;
using Reduce = shapes::Reduction;

void cast(const TileView& dst, const TileView& src, const Context& context);
void iota(const TileView& dst, int dim, const Context& context);
// Values that are not known, of which zeros are there; undefined where `undefined` says why.
void unknown(const TileView& dst, const std::optional<Origin>& undefined, const Context& context);
void binary(Binary op, const TileView& dst, const TileView& a, const TileView& b,
            const Context& context);
void integers(IntegerBinary op, const TileView& dst, const TileView& a, const TileView& b,
              const Context& context);
// dst, which has an integer type: floats towards zero, saturating, NaN gives 0; integers wrap.
void truncate(const TileView& dst, const TileView& src, const Context& context);
void select(const TileView& dst, const TileView& condition, const TileView& a, const TileView& b,
            const Context& context);
// dst = f(src) in double, rounded to f32 first: the last bit of libm's double is then seldom seen,
// so results hardly ever depend on the machine's libm.
void apply(shapes::Function function, const TileView& dst, const TileView& src,
           const Context& context);
using FunctionOfTwo = double (*)(double, double);
void apply(FunctionOfTwo f, const TileView& dst, const TileView& a, const TileView& b,
           const Context& context);
// dst = src * scale, where an element of scale belongs to a block of src; ranks up to 3.
void scale(const TileView& dst, const TileView& src, const TileView& scale, const Context& context);
// Whether the extents of scale divide those of tile.
bool cuts(const TileView& scale, const TileView& tile);
// Dimension d of dst is dimension order[d] of src.
void permute(const TileView& dst, const TileView& src, const std::vector<int>& order,
             const Context& context);
// dst, whose size along dim is 1, of src along dim: sums are added in ascending order.
void reduce(Reduce op, int dim, const TileView& dst, const TileView& src, const Context& context);

// acc += a . b; acc comes from Storage::update and is f32, or i32 where a and b are integers; i8
// also adds to f32. Of rank 2 or more: leading dimensions are those of all three, and each of their
// indices has a product of its own.
void matmul(const TileView& acc, const TileView& a, const TileView& b, Transposed transposed,
            const Context& context);

// The same elements with that many dimensions, at least its own: leading ones have size 1. A number
// and a single element without dimensions stay what they are, as they are repeated anyhow.
TileView with_rank(const TileView& view, int rank);
// Whether the sizes of a source, with the rank of dst or 0, fit dst: the same, or 1. The machine
// asks before it calls.
bool broadcasts(const TileView& src, const TileView& dst);

}  // namespace tessera::tile
