// The extents of a product before options and files have said all of them.
#pragma once
#include <cstdint>

#include "cli/args/agreed.h"

namespace tessera::cli {

using Extent = Agreed<std::int64_t>;

// Each is said by its option, by a file that has such an axis, or by several that agree;
// GroupedDesc has them when all are said. A product without groups leaves `groups` unsaid.
struct SaidExtents {
  Extent m{"m"}, k{"k"}, n{"n"}, groups{"groups"};
};

}  // namespace tessera::cli
