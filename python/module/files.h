// Conversion of in-memory files between Python and C++: texts and arrays of a call, and its
// results.
#pragma once
#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "core/data/held_files.h"

namespace tessera::python {

// Returns a str as UTF-8. Raises UnicodeEncodeError for a lone surrogate.
std::string text_of(nanobind::handle given);
std::vector<std::string> texts_of(const nanobind::list& given);

// texts: name to text; arrays: name to (array, element type).
HeldFiles held_files_of(const nanobind::dict& texts, const nanobind::dict& arrays);
// Returns the written tensors: name to (array, element type). Moves them out of `files`.
nanobind::dict written_of(HeldFiles& files);

}  // namespace tessera::python
