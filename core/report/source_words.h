// Source text at a location, for tables and timelines.
#pragma once
#include <cstddef>
#include <string>

#include "core/report/diag.h"

namespace tessera {

// Returns the text on one line, without indentation and repeated blanks; text longer than `longest`
// is truncated and ends in "...". Returns the whole line if the location has no width, and empty
// text if there is no source.
std::string source_words(const Loc& loc, std::size_t longest);

}  // namespace tessera
