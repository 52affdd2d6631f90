// Where in a memory the elements begin that a plane tells apart.
#pragma once
#include <optional>

#include "interp/memory/layout.h"
#include "interp/memory/shadow.h"
#include "interp/memory/view.h"

namespace tessera {

// A largest rectangle of elements with that bit, from the first of them in storage order on; none
// when no element has it.
std::optional<Box> first_box(const Layout& layout, const BitPlane& plane, bool value);

}  // namespace tessera
