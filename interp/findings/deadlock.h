// The deadlock finding.
#pragma once
#include "interp/machine/machine.h"

namespace tessera {

// Returns one finding on all blocked cores, with notes on the counts that they lack, the cores that
// could signal them, and surplus counts. Requires a blocked core in the machine.
Finding deadlock_finding(Machine& machine);

}  // namespace tessera
