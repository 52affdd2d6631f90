// The rectangle of a memory that a slice of a view with another shape or type is.
#pragma once
#include <string>

#include "core/program/builder.h"
#include "core/program/view_shape.h"

namespace tessera {

// Of a slice of a view: one dimension for each of the memory that the view shows, and whether what
// it keeps has the shape of the slice. Or why it is no rectangle.
struct ViewRectangle {
  Slice slice;
  bool has_shape = false;
  std::string problem{};  // empty: there is one
};

// `slice` has a start and a size for each dimension of `view`, and stays inside of it. Scalars that
// it takes are emitted, and conditions that the run alone knows are required there; not where
// `only_looks`. `what` is what messages call the view.
ViewRectangle view_rectangle(Builder& builder, const ViewType& memory, const ViewType& view,
                             const Slice& slice, const std::string& what, bool only_looks);

}  // namespace tessera
