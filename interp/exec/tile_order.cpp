// Tile ops without arithmetic: elements, or their bits, with another shape or type.
#include <fmt/format.h>

#include "interp/machine/machine.h"
#include "interp/tiles/tile_ops_order.h"

namespace tessera {
namespace {

std::string extents_text(const TileView& view) {
  std::string text;
  for (int d = 0; d < view.rank; ++d)
    text += fmt::format("{}{}", d == 0 ? "" : ", ", view.size[Box::at(d)]);
  return "(" + text + ")";
}

Step refuse(Core& core, std::string_view what, const TileView& dst, const TileView& src) {
  core.fail(FindingKind::out_of_bounds,
            fmt::format("{} of a tile of shape {} is stored to one of shape {}", what,
                        extents_text(src), extents_text(dst)));
  return Step::stop;
}

}  // namespace

Step exec(const Regroup& op, Core& core) {
  const TileView src = core.read(op.src), dst = core.write(op.dst);
  if (core.stopped()) return Step::stop;
  if (src.elements() != dst.elements()) return refuse(core, "reshape", dst, src);
  tile::regroup(dst, src, core.tile_context());
  return Step::next;
}

Step exec(const Bitcast& op, Core& core) {
  const TileView src = core.read(op.src), dst = core.write(op.dst);
  if (core.stopped()) return Step::stop;
  if (tile::bitcast_dim(dst, src) == -2) return refuse(core, "bitcast", dst, src);
  tile::bitcast(dst, src, core.tile_context());
  return Step::next;
}

Step exec(const Every& op, Core& core) {
  const TileView src = core.read(op.src), dst = core.write(op.dst);
  if (core.stopped()) return Step::stop;
  bool fits = src.rank == dst.rank;
  for (int d = 0; fits && d < dst.rank; ++d) {
    const std::int64_t step = d == op.dim ? op.step : 1;
    fits = dst.size[Box::at(d)] == (src.size[Box::at(d)] + step - 1) / step;
  }
  if (!fits) return refuse(core, fmt::format("every {} elements", op.step), dst, src);
  tile::every(dst, src, static_cast<int>(op.dim), op.step, core.tile_context());
  return Step::next;
}

}  // namespace tessera
