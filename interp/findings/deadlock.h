// Why nobody can move.
#pragma once
#include "interp/machine/machine.h"

namespace tessera {

// Precondition: a core of the machine is blocked.
Finding deadlock_finding(Machine& machine);

}  // namespace tessera
