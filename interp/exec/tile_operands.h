// The operands of tile ops: whether their shapes go together.
#pragma once
#include <string>
#include <string_view>

#include "interp/machine/machine.h"

namespace tessera {

std::string shape_of(const TileView& view);

// The view of an operand with the target's number of dimensions: missing leading ones are added
// with size 1. False, and the run ends with a finding, when it cannot be repeated to the target's
// shape. `what` names a value that has no name of its own.
bool fits(Core& core, std::string_view what, const Slice& operand, TileView& src,
          const TileView& dst);

// False, and the run ends with a finding, when a view has another shape than it must have.
bool has_shape(Core& core, std::string_view what, const TileView& view,
               const std::vector<std::int64_t>& shape);

}  // namespace tessera
