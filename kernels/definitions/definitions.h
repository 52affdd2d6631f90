// Definitions of kernels: the same operands and results in a few lines, without windows, tiles or
// asynchronous copies, on one device. If a kernel has an operand or result on each of several
// devices, the definition has them stacked, with a first axis of `places`. An operand without this
// axis is the same on all devices.
#pragma once
#include <string>
#include <vector>

#include "core/program/program.h"
#include "core/report/expected.h"

namespace tessera {

// Returns the names of the kernels that have a definition.
std::vector<std::string> defined_kernels();
// Returns the definition of a kernel for its settings. places: number of devices of the kernel.
// Fails with ErrorCode::unsupported if the kernel has no definition, and like instantiate() if it
// has none for these settings.
Expected<Program> make_definition(const Program& kernel, int places);

}  // namespace tessera
