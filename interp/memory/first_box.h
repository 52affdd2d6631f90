// Search for the first rectangle of equal bits in a plane.
#pragma once
#include <optional>

#include "interp/memory/layout.h"
#include "interp/memory/shadow.h"
#include "interp/memory/view.h"

namespace tessera {

// Returns a maximal rectangle of elements with bit `value` that starts at the first such element in
// storage order; nullopt if there is none.
std::optional<Box> first_box(const Layout& layout, const BitPlane& plane, bool value);

}  // namespace tessera
