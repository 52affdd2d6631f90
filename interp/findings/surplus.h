// Counts that ended where no core takes them, matched with what blocked cores lack.
#pragma once
#include <vector>

#include "interp/findings/signallers.h"
#include "interp/machine/machine.h"

namespace tessera {

// A note for each, in a deadlock: final counts do not depend on the schedule. What its owner would
// take later is a surplus only when it came on a way of its own.
void add_surpluses(Machine& machine, const Signallers& signallers,
                   const std::vector<CoreIndex>& blocked, std::vector<FindingPlace>& notes);

}  // namespace tessera
