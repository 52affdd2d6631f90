// Hash that identifies an execution by the events of its agents.
#pragma once
#include <cstdint>

#include "analysis/certificate/record/record.h"

namespace tessera {

// Hash of the agents by name, with their events in order, independent of the run's schedule. 0 if
// the record is over its budget.
std::uint64_t protocol_hash(const Record& record);

}  // namespace tessera
