// What the source says at a place, for tables and timelines.
#pragma once
#include <cstddef>
#include <string>

#include "core/report/diag.h"

namespace tessera {

// In one line without indentation or gaps; what is longer than `longest` ends in "...". The whole
// line where the place has no width; empty where there is no source.
std::string source_words(const Loc& loc, std::size_t longest);

}  // namespace tessera
