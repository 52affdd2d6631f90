// A number that tells executions apart by what each agent did.
#pragma once
#include <cstdint>

#include "analysis/certificate/record/record.h"

namespace tessera {

// The same whatever schedule the run had: agents by name, each with its own events in order.
// 0 when the record is over its budget.
std::uint64_t protocol_hash(const Record& record);

}  // namespace tessera
