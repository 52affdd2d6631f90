// What must hold once nothing moves any more.
#pragma once
#include <vector>

#include "interp/machine/machine.h"

namespace tessera {

// What is wrong then, sorted: a deadlock, or else semaphores that are not zero and results that are
// not written.
std::vector<Finding> exit_findings(Machine& machine);

}  // namespace tessera
