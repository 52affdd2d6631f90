// Ops of integer tiles alone: bits, quotients, and casts that cut off.
#include "interp/exec/tile_operands.h"
#include "interp/tiles/tile_ops.h"

namespace tessera {
namespace {

template <typename Op>
Step integers(tile::IntegerBinary kind, const Op& op, Core& core) {
  TileView a = core.read(op.a), b = core.read(op.b);
  const TileView dst = core.write(op.dst);
  if (!fits(core, "the first operand", op.a, a, dst) ||
      !fits(core, "the second operand", op.b, b, dst))
    return Step::stop;
  tile::integers(kind, dst, a, b, core.tile_context());
  return Step::next;
}

}  // namespace

Step exec(const TileMod& op, Core& core) { return integers(tile::IntegerBinary::mod, op, core); }
Step exec(const TileQuotient& op, Core& core) {
  return integers(tile::IntegerBinary::quotient, op, core);
}
Step exec(const TileRemainder& op, Core& core) {
  return integers(tile::IntegerBinary::remainder, op, core);
}
Step exec(const TileBitAnd& op, Core& core) {
  return integers(tile::IntegerBinary::bit_and, op, core);
}
Step exec(const TileBitOr& op, Core& core) {
  return integers(tile::IntegerBinary::bit_or, op, core);
}
Step exec(const TileBitXor& op, Core& core) {
  return integers(tile::IntegerBinary::bit_xor, op, core);
}
Step exec(const TileShiftLeft& op, Core& core) {
  return integers(tile::IntegerBinary::shift_left, op, core);
}
Step exec(const TileShiftRight& op, Core& core) {
  return integers(tile::IntegerBinary::shift_right, op, core);
}

Step exec(const TileBitNot& op, Core& core) {
  TileView src = core.read(op.src);
  const TileView dst = core.write(op.dst);
  if (!fits(core, "the operand", op.src, src, dst)) return Step::stop;
  tile::integers(tile::IntegerBinary::bit_xor, dst, src, TileView::of(std::int64_t{-1}),
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
