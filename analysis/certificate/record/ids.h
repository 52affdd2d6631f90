// Ids of the entries of a record. A core has the same number as an agent and as a CoreIndex. The
// same holds for the threads of points (analysis/certificate/points/point_threads.h), which are
// agents of a record of their own.
#pragma once
#include "core/program/id.h"

namespace tessera {

using EventId = Id<struct RecordedEvent>;          // into Record::events
using RecordedAgentId = Id<struct RecordedAgent>;  // into Record::agents; of a core: its index
using RangeId = Id<struct Range>;                  // into Record::ranges
using CellId = Id<struct SemId>;                   // into Record::cells

}  // namespace tessera
