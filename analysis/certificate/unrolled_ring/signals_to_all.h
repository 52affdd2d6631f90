// Signals of one core to all devices: the barrier that kernels without one get, and all_barrier().
#pragma once
#include <cstdint>

#include "analysis/certificate/unrolled_ring/ring.h"

namespace tessera {

// Returns the number of successive signals from `first` on with which a core signals a barrier of
// each device, or of each core of all devices, once. 0: it does not. keys: by cell of the record.
std::int32_t signals_to_all(const Record& record, const Table<CellId, RingCell>& keys,
                            EventId first);

}  // namespace tessera
