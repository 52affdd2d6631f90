// Ops on integer tiles: bits, quotients, and truncating casts.
#include "interp/exec/by_shape.h"
#include "interp/exec/tile_operands.h"
#include "interp/tiles/tile_ops.h"

namespace tessera {

Step integers(shapes::Integers kind, const Slice& dst, const Slice& first, const Slice& second,
              Core& core) {
  TileView a = core.read(first), b = core.read(second);
  const TileView out = core.write(dst);
  if (!fits(core, "the first operand", first, a, out) ||
      !fits(core, "the second operand", second, b, out))
    return Step::stop;
  tile::integers(kind, out, a, b, core.tile_context());
  return Step::next;
}

Step exec(const TileBitNot& op, Core& core) {
  TileView src = core.read(op.src);
  const TileView dst = core.write(op.dst);
  if (!fits(core, "the operand", op.src, src, dst)) return Step::stop;
  tile::integers(shapes::Integers::bit_xor, dst, src, TileView::of(std::int64_t{-1}),
                 core.tile_context());
  return Step::next;
}

Step exec(const Truncate& op, Core& core) {
  TileView src = core.read(op.src);
  const TileView dst = core.write(op.dst);
  if (!fits(core, "the value", op.src, src, dst)) return Step::stop;
  tile::truncate(dst, src, core.tile_context());
  return Step::next;
}

}  // namespace tessera
