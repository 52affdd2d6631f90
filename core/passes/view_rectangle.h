// Memory rectangles of slices of views with another shape or type.
#pragma once
#include <string>

#include "core/program/builder.h"
#include "core/program/view_shape.h"

namespace tessera {

// Memory rectangle of a slice of a view, or the reason why the slice is not a rectangle. `slice`
// has one dimension for each dimension of the memory. has_shape: its dimensions that are not
// dropped have the shape of the view's slice.
struct ViewRectangle {
  Slice slice;
  bool has_shape = false;
  std::string problem{};  // empty: the rectangle is valid
};

// Returns the rectangle, in memory of the type `memory`, of a slice of a view with the type `view`;
// its base is unset. `slice` must have a start and a size for each dimension of `view` and must be
// inside it. Emits the scalars of the rectangle, and a `require` for each condition that is only
// known at run time (not if `only_looks`). what: name of the view in messages.
ViewRectangle view_rectangle(Builder& builder, const ViewType& memory, const ViewType& view,
                             const Slice& slice, const std::string& what, bool only_looks);

}  // namespace tessera
