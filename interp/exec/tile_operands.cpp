#include "interp/exec/tile_operands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/program/broadcast.h"
#include "interp/tiles/tile_ops.h"

namespace tessera {

std::string shape_of(const TileView& view) {
  return fmt::format("({})", fmt::join(view.size.begin(), view.size.begin() + view.rank, ", "));
}

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

bool has_shape(Core& core, std::string_view what, const TileView& view,
               const std::vector<std::int64_t>& shape) {
  if (core.stopped()) return false;
  if (static_cast<std::size_t>(view.rank) == shape.size() &&
      std::equal(shape.begin(), shape.end(), view.size.begin()))
    return true;
  core.fail(FindingKind::out_of_bounds, fmt::format("{} has shape {}, expected ({})", what,
                                                    shape_of(view), fmt::join(shape, ", ")));
  return false;
}

}  // namespace tessera
