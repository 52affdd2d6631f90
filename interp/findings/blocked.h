// Places and numbers of reports on cores that are blocked.
#pragma once
#include <cstdint>
#include <string>

#include "interp/machine/machine.h"

namespace tessera {

// How much of its semaphore a blocked core lacks.
std::int64_t missing_count(Machine& machine, const Core& core);
// A statement, with the loops of an agent that is blocked there; -1: the message alone.
FindingPlace place_in_run(Machine& machine, StmtId statement, const AgentId& agent,
                          std::string message);

}  // namespace tessera
