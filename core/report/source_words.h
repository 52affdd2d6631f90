// Source text at a location, for tables and timelines.
#pragma once
#include <cstddef>
#include <string>

#include "core/report/diag.h"

namespace tessera {

// Returns the source text at the location, without indentation and repeated blanks; the whole line
// if the width is 1 or the column unknown. Text longer than `longest` bytes (at least 3) is
// truncated to them, possibly within a UTF-8 character, and ends in "...". Empty if the location is
// unknown or its text has no such line.
std::string source_words(const Loc& loc, std::size_t longest);

}  // namespace tessera
