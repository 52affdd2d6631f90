// Surplus counts: semaphore counts that no core waits for, matched with the counts that blocked
// cores lack.
#pragma once
#include <vector>

#include "interp/findings/signallers.h"
#include "interp/machine/machine.h"

namespace tessera {

// Adds a note for each surplus in a deadlock, at most 8. blocked: all blocked cores; not empty.
// Final counts do not depend on the schedule. If the owner can still wait for the count, it is a
// surplus only if it was signalled in an unusual direction.
void add_surpluses(Machine& machine, const Signallers& signallers,
                   const std::vector<CoreIndex>& blocked, std::vector<FindingPlace>& notes);

}  // namespace tessera
