// Hash that identifies an execution by the events of its agents.
#pragma once
#include <cstdint>

#include "analysis/certificate/record/record.h"

namespace tessera {

// Returns the hash of the agents by name, with their events in order: it is independent of the
// run's schedule if the actions are. 0 if the record is over its budget. If its events were
// dropped, only the agents count.
std::uint64_t protocol_hash(const Record& record);

}  // namespace tessera
