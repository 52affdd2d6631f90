// Functions of single elements, computed in double and rounded to f32.
#include <cmath>

#include "interp/exec/by_shape.h"
#include "interp/exec/tile_operands.h"
#include "interp/tiles/tile_ops.h"

namespace tessera {

Step function(shapes::Function kind, const Slice& target, const Slice& source, Core& core) {
  TileView src = core.read(source);
  const TileView dst = core.write(target);
  if (!fits(core, "the operand", source, src, dst)) return Step::stop;
  tile::apply(kind, dst, src, core.tile_context());
  return Step::next;
}

Step exec(const Pow& op, Core& core) {
  TileView a = core.read(op.a), b = core.read(op.b);
  const TileView dst = core.write(op.dst);
  if (!fits(core, "the base", op.a, a, dst) || !fits(core, "the exponent", op.b, b, dst))
    return Step::stop;
  tile::apply([](double x, double y) { return std::pow(x, y); }, dst, a, b, core.tile_context());
  return Step::next;
}

}  // namespace tessera
