// What kernels are by definition: the same operands and results in a few lines, without windows,
// tiles or copies in flight, on one device. Operands and results that a kernel has on each of
// several devices are stacked, with an axis of `places` in front; one without it is the same on
// all.
#pragma once
#include <string>
#include <vector>

#include "core/program/program.h"
#include "core/report/expected.h"

namespace tessera {

// Kernels that have a definition, by name.
std::vector<std::string> defined_kernels();
// The definition of a kernel at its settings; `places` are the devices that it runs on. Errors: it
// has none, or none for these settings.
Expected<Program> make_definition(const Program& kernel, int places);

}  // namespace tessera
