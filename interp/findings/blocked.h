// Places and missing counts for reports on blocked cores.
#pragma once
#include <cstdint>
#include <string>

#include "interp/machine/machine.h"

namespace tessera {

// Returns the count that a blocked core still needs from its semaphore.
std::int64_t missing_count(Machine& machine, const Core& core);
// Returns the place of a statement, with the loop indices of the agent if it is blocked there.
// Without a statement, returns only the message.
FindingPlace place_in_run(Machine& machine, StmtId statement, const AgentId& agent,
                          std::string message);

}  // namespace tessera
