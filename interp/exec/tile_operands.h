// Shape checks for operands of tile ops.
#pragma once
#include <string>
#include <string_view>

#include "interp/machine/machine.h"

namespace tessera {

std::string shape_of(const TileView& view);  // "(128, 64)"

// Adds missing leading dimensions of size 1 to the view of an operand. Returns false and ends the
// run with a finding if the operand cannot be repeated to the shape of the target; also false if
// the run has already ended.
// what: name for a value that has no name.
bool fits(Core& core, std::string_view what, const Slice& operand, TileView& src,
          const TileView& dst);

// Returns false and ends the run with a finding if the view does not have the given shape; also
// false if the run has already ended. what: name of the view in the finding.
bool has_shape(Core& core, std::string_view what, const TileView& view,
               const std::vector<std::int64_t>& shape);

}  // namespace tessera
