// Extents of a product while options and files are read.
#pragma once
#include <cstdint>

#include "cli/args/agreed.h"

namespace tessera::cli {

using Extent = Agreed<std::int64_t>;

// Each extent is given by its option, by a file with such an axis, or by several of these that
// agree. The final extents are in GroupedDesc. A product without groups does not set `groups`.
struct SaidExtents {
  Extent m{"m"}, k{"k"}, n{"n"}, groups{"groups"};
};

}  // namespace tessera::cli
