// The deadlock finding.
#pragma once
#include "interp/machine/machine.h"

namespace tessera {

// Requires a blocked core in the machine.
Finding deadlock_finding(Machine& machine);

}  // namespace tessera
