// Elementwise tile ops: views of the operands, and the function of tile_ops.h that computes the
// result.
#include <fmt/format.h>

#include "interp/exec/by_shape.h"
#include "interp/exec/tile_operands.h"
#include "interp/tiles/tile_ops.h"

namespace tessera {

Step binary(shapes::Binary kind, const Slice& dst, const Slice& a, const Slice& b, Core& core) {
  TileView x = core.read(a), y = core.read(b);
  const TileView out = core.write(dst);
  if (!fits(core, "the first operand", a, x, out) || !fits(core, "the second operand", b, y, out))
    return Step::stop;
  tile::binary(kind, out, x, y, core.tile_context());
  return Step::next;
}

Step exec(const Cast& op, Core& core) {
  TileView src = core.read(op.src);
  const TileView dst = core.write(op.dst);
  if (!fits(core, "the value", op.src, src, dst)) return Step::stop;
  tile::cast(dst, src, core.tile_context());
  return Step::next;
}

Step exec(const TileIota& op, Core& core) {
  const TileView dst = core.write(op.dst);
  if (core.stopped()) return Step::stop;
  tile::iota(dst, static_cast<int>(op.dim), core.tile_context());
  return Step::next;
}

Step exec(const TileSelect& op, Core& core) {
  TileView condition = core.read(op.condition), a = core.read(op.a), b = core.read(op.b);
  const TileView dst = core.write(op.dst);
  if (!fits(core, "the condition", op.condition, condition, dst) ||
      !fits(core, "the first choice", op.a, a, dst) ||
      !fits(core, "the second choice", op.b, b, dst))
    return Step::stop;
  if (!a.initialised() || !b.initialised()) core.emit({.kind = EventKind::choice});
  tile::select(dst, condition, a, b, core.tile_context());
  return Step::next;
}

Step exec(const Scaled& op, Core& core) {
  TileView src = core.read(op.src);
  const TileView scale = core.read(op.scale), dst = core.write(op.dst);
  if (!fits(core, "the operand", op.src, src, dst)) return Step::stop;
  if (!tile::cuts(scale, dst)) {
    core.fail(FindingKind::out_of_bounds,
              fmt::format("the scale has shape {}, which does not divide {} into equal blocks",
                          shape_of(scale), shape_of(dst)));
    return Step::stop;
  }
  tile::scale(dst, src, scale, core.tile_context());
  return Step::next;
}

}  // namespace tessera
