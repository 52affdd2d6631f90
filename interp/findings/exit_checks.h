// Checks after the last step of a run.
#pragma once
#include <vector>

#include "interp/machine/machine.h"

namespace tessera {

// Returns only the deadlock if there is one. Otherwise returns a finding for each semaphore cell
// with a count that is not zero, unless its semaphore is monotone or the count was reported before.
// Except with Uninitialised::poison, also returns one for each result of a device that was not
// completely written. The findings are sorted by kind, device and location.
std::vector<Finding> exit_findings(Machine& machine);

}  // namespace tessera
