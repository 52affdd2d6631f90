// What a call of Python hands over in the place of files, and what it gets back.
#pragma once
#include <nanobind/nanobind.h>

#include "core/data/held_files.h"

namespace tessera::python {

// texts: name to text; arrays: name to (array, element type).
HeldFiles held_files_of(const nanobind::dict& texts, const nanobind::dict& arrays);
// Name to (array, element type); takes the tensors.
nanobind::dict written_of(HeldFiles& files);

}  // namespace tessera::python
