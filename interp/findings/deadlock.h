// The deadlock finding.
#pragma once
#include "interp/machine/machine.h"

namespace tessera {

// Returns the finding on all blocked cores: the counts that they lack, who could signal them, and
// surplus counts. Requires a blocked core in the machine.
Finding deadlock_finding(Machine& machine);

}  // namespace tessera
