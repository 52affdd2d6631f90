// What a call of Python hands over in the place of files, and what it gets back.
#pragma once
#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "core/data/held_files.h"

namespace tessera::python {

// A str as UTF-8. Raises UnicodeEncodeError for a lone surrogate.
std::string text_of(nanobind::handle given);
std::vector<std::string> texts_of(const nanobind::list& given);

// texts: name to text; arrays: name to (array, element type).
HeldFiles held_files_of(const nanobind::dict& texts, const nanobind::dict& arrays);
// Name to (array, element type); takes the tensors.
nanobind::dict written_of(HeldFiles& files);

}  // namespace tessera::python
