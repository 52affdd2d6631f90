// Tile ops: the operands' views, and the function of tile_ops.h that computes on them.
#include <fmt/format.h>

#include <cmath>

#include "core/program/broadcast.h"
#include "interp/machine/machine.h"
#include "interp/tiles/tile_ops.h"

namespace tessera {
namespace {

std::string shape_of(const TileView& view) {
  std::string text;
  for (std::size_t d = 0; d < static_cast<std::size_t>(view.rank); ++d)
    text += fmt::format("{}{}", d == 0 ? "" : ", ", view.size[d]);
  return "(" + text + ")";
}

// The view of an operand with the target's number of dimensions: missing leading ones are added
// with size 1. False, and the run ends with a finding, when it cannot be repeated to the target's
// shape. `what` names a value that has no name of its own.
bool fits(Core& core, std::string_view what, const Slice& operand, TileView& src,
          const TileView& dst) {
  if (core.stopped()) return false;
  if (src.rank == dst.rank || src.rank == 0) {
    if (tile::broadcasts(src, dst)) return true;
  } else if (src.rank < dst.rank) {
    const TileView raised = tile::with_rank(src, dst.rank);
    if (tile::broadcasts(raised, dst)) {
      src = raised;
      return true;
    }
  }
  core.fail(FindingKind::out_of_bounds,
            misfit_text(operand_name(core.machine().program(), operand, what), shape_of(src),
                        shape_of(dst)));
  return false;
}

bool has_shape(Core& core, std::string_view what, const TileView& view, std::int64_t rows,
               std::int64_t cols) {
  if (core.stopped()) return false;
  if (view.rank == 2 && view.size[0] == rows && view.size[1] == cols) return true;
  core.fail(FindingKind::out_of_bounds,
            fmt::format("{} has shape {}, expected ({}, {})", what, shape_of(view), rows, cols));
  return false;
}

Step binary(tile::Binary kind, const Slice& dst, const Slice& a, const Slice& b, Core& core) {
  TileView x = core.read(a), y = core.read(b);
  const TileView out = core.write(dst);
  if (!fits(core, "the first operand", a, x, out) || !fits(core, "the second operand", b, y, out))
    return Step::stop;
  tile::binary(kind, out, x, y, core.tile_context());
  return Step::next;
}

template <typename Op>
Step elementwise(const Op& op, Core& core, tile::Function f) {
  TileView src = core.read(op.src);
  const TileView dst = core.write(op.dst);
  if (!fits(core, "the operand", op.src, src, dst)) return Step::stop;
  tile::apply(f, dst, src, core.tile_context());
  return Step::next;
}

Step reduce_rows(tile::Reduce kind, const Slice& dst, const Slice& src, Core& core) {
  const TileView x = core.read(src), out = core.write(dst);
  if (!has_shape(core, "the result", out, x.size[0], 1)) return Step::stop;
  tile::reduce_rows(kind, out, x, core.tile_context());
  return Step::next;
}

Step reduce_cols(tile::Reduce kind, const Slice& dst, const Slice& src, Core& core) {
  const TileView x = core.read(src), out = core.write(dst);
  if (!has_shape(core, "the result", out, 1, x.size[1])) return Step::stop;
  tile::reduce_cols(kind, out, x, core.tile_context());
  return Step::next;
}

}  // namespace

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

Step exec(const TileAdd& op, Core& core) {
  return binary(tile::Binary::add, op.dst, op.a, op.b, core);
}
Step exec(const TileSub& op, Core& core) {
  return binary(tile::Binary::sub, op.dst, op.a, op.b, core);
}
Step exec(const TileMul& op, Core& core) {
  return binary(tile::Binary::mul, op.dst, op.a, op.b, core);
}
Step exec(const TileDiv& op, Core& core) {
  return binary(tile::Binary::div, op.dst, op.a, op.b, core);
}
Step exec(const TileMin& op, Core& core) {
  return binary(tile::Binary::min, op.dst, op.a, op.b, core);
}
Step exec(const TileMax& op, Core& core) {
  return binary(tile::Binary::max, op.dst, op.a, op.b, core);
}
Step exec(const TileLt& op, Core& core) {
  return binary(tile::Binary::lt, op.dst, op.a, op.b, core);
}
Step exec(const TileLe& op, Core& core) {
  return binary(tile::Binary::le, op.dst, op.a, op.b, core);
}
Step exec(const TileEq& op, Core& core) {
  return binary(tile::Binary::eq, op.dst, op.a, op.b, core);
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

Step exec(const Exp& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::exp(x); });
}
Step exec(const Log& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::log(x); });
}
Step exec(const Tanh& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::tanh(x); });
}
Step exec(const Erf& op, Core& core) {
  return elementwise(op, core, [](double x) { return std::erf(x); });
}
Step exec(const Rsqrt& op, Core& core) {
  return elementwise(op, core, [](double x) { return 1 / std::sqrt(x); });
}

Step exec(const Scaled& op, Core& core) {
  TileView src = core.read(op.src);
  const TileView scale = core.read(op.scale), dst = core.write(op.dst);
  if (!fits(core, "the operand", op.src, src, dst)) return Step::stop;
  if (!tile::cuts(scale, dst)) {
    core.fail(FindingKind::out_of_bounds,
              fmt::format("the scale has shape {}, which does not cut {} into equal blocks",
                          shape_of(scale), shape_of(dst)));
    return Step::stop;
  }
  tile::scale(dst, src, scale, core.tile_context());
  return Step::next;
}

Step exec(const Transpose& op, Core& core) {
  const TileView src = core.read(op.src), dst = core.write(op.dst);
  if (!has_shape(core, "the result", dst, src.size[1], src.size[0])) return Step::stop;
  tile::transpose(dst, src, core.tile_context());
  return Step::next;
}

Step exec(const RowSum& op, Core& core) {
  return reduce_rows(tile::Reduce::sum, op.dst, op.src, core);
}
Step exec(const RowMax& op, Core& core) {
  return reduce_rows(tile::Reduce::max, op.dst, op.src, core);
}
Step exec(const ColSum& op, Core& core) {
  return reduce_cols(tile::Reduce::sum, op.dst, op.src, core);
}
Step exec(const ColMax& op, Core& core) {
  return reduce_cols(tile::Reduce::max, op.dst, op.src, core);
}

Step exec(const Matmul& op, Core& core) {
  const bool ta = op.transpose_a != 0, tb = op.transpose_b != 0;
  const TileView a = core.read(op.a), b = core.read(op.b), acc = core.update(op.acc);
  if (core.stopped()) return Step::stop;
  const std::int64_t m = a.size[ta ? 1 : 0], k = a.size[ta ? 0 : 1], n = b.size[tb ? 0 : 1];
  if (!has_shape(core, "the right operand", b, tb ? n : k, tb ? k : n) ||
      !has_shape(core, "the accumulator", acc, m, n))
    return Step::stop;
  tile::matmul(acc, a, b, {.a = ta, .b = tb}, core.tile_context());
  core.machine().stats().matmul_flops += 2 * m * n * k;
  return Step::next;
}

}  // namespace tessera
