// Checks after the last step of a run.
#pragma once
#include <vector>

#include "interp/machine/machine.h"

namespace tessera {

// Returns the deadlock if there is one; else the semaphores that are not zero and, except with
// Uninitialised::poison, the results that were not completely written, sorted.
std::vector<Finding> exit_findings(Machine& machine);

}  // namespace tessera
