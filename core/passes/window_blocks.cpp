#include "core/passes/window_blocks.h"

#include <algorithm>

#include "core/program/refs.h"

namespace tessera {

bool WindowBlock::stays(const Program& program) const {
  return std::all_of(start.begin(), start.end(),
                     [&](ValueId value) { return program.constant(value).has_value(); });
}

const Window& WindowBlocks::window() const { return std::get<Window>(old_.body[part_.at].op); }

// A block that starts at a multiple of its size does not exceed an extent that is also a multiple.
bool WindowBlocks::divides(ValueId start, std::int64_t block, ValueId extent) {
  const auto limit = builder_.program().constant(extent);
  return limit && block > 0 && *limit % block == 0 && is_multiple(builder_.program(), start, block);
}

ValueId WindowBlocks::clipped(ValueId start, std::int64_t block, ValueId extent) {
  if (divides(start, block, extent)) return builder_.integer(block);
  const ValueId size = builder_.min(builder_.integer(block), builder_.sub(extent, start));
  return may_be_empty() ? builder_.max(builder_.integer(0), size) : size;
}

WindowBlock WindowBlocks::at(const ValueMap& point) {
  const Slice& source = window().source;
  WindowBlock b;
  b.when = expander_.mapped(window().when, point);
  for (std::size_t d = 0; d < static_cast<std::size_t>(source.rank); ++d)
    b.start.push_back(expander_.mapped(source.start[d], point));
  return b;
}

// Returns the extents of the window's source in the new program.
std::vector<ValueId> WindowBlocks::extents() {
  const ValueId ref = window().source.base;
  std::vector<ValueId> result;
  if (const Replacement* by = expander_.replacement(ref)) {
    for (int d : kept(by->slice)) result.push_back(by->slice.size[static_cast<std::size_t>(d)]);
    return result;
  }
  for (std::int64_t extent : ref_info(old_, ref).bound) result.push_back(builder_.integer(extent));
  return result;
}

// True if it is only known at run time whether the window's source has elements. A block without
// elements has no position.
bool WindowBlocks::may_be_empty() {
  const std::vector<ValueId> all = extents();
  return std::any_of(all.begin(), all.end(), [&](ValueId extent) {
    return !builder_.program().constant(extent).has_value();
  });
}

// Emits a check that stops the run if a block with elements starts outside, unless it is known to
// start inside.
void WindowBlocks::check_inside(ValueId start, ValueId extent) {
  const auto at = builder_.program().constant(start), limit = builder_.program().constant(extent);
  if (at && limit && *at >= 0 && *at < *limit) return;
  ValueId element = builder_.integer(1);
  for (const ValueId e : extents())
    if (!builder_.program().constant(e)) element = builder_.select(e, element, builder_.integer(0));
  builder_.emit(Bounds{start, element, extent});
}

void WindowBlocks::locate(WindowBlock& b, bool check) {
  const ValueId ref = window().source.base;
  const std::vector<ValueId> extent = extents();
  Slice inner;
  inner.rank = window().source.rank;
  inner.dropped = window().source.dropped;
  b.size.clear();
  std::size_t kept_dim = 0;
  inside_.resize(extent.size(), false);
  for (std::size_t d = 0; d < extent.size(); ++d) {
    const bool dropped = inner.dropped >> d & 1;
    const std::int64_t block = dropped ? 1 : part_.block[kept_dim++];
    // A single element of memory read in place is either inside or completely outside; its use
    // detects the latter.
    const bool single = part_.is_view && block == 1;
    if (!dropped && (single || divides(b.start[d], block, extent[d]))) inside_[d] = true;
    const ValueId size =
        dropped || inside_[d] ? builder_.integer(block) : clipped(b.start[d], block, extent[d]);
    if (check && !dropped && !inside_[d]) check_inside(b.start[d], extent[d]);
    inner.start[d] = b.start[d];
    inner.size[d] = size;
    b.size.push_back(size);
  }
  if (const Replacement* by = expander_.replacement(ref)) {
    Replacement unchecked = *by;
    unchecked.checked = false;  // already clipped to its extents
    b.source = expander_.compose(unchecked, inner);
  } else {
    inner.base = expander_.mapped(ref, around_);
    b.source = inner;
  }
}

bool WindowBlocks::always_inside() const {
  const Window& op = window();
  for (std::size_t d = 0; d < inside_.size(); ++d)
    if (!inside_[d] && !(op.source.dropped >> d & 1)) return false;
  return true;
}

ValueId WindowBlocks::bytes(const WindowBlock& b) {
  ValueId total = builder_.integer(size_of(ref_info(old_, window().source.base).dtype));
  for (int d : part_.dims) total = builder_.mul(total, b.size[static_cast<std::size_t>(d)]);
  return total;
}

}  // namespace tessera
