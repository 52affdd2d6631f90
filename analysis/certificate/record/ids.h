// Ids of the entries of a record. The id of a core as an agent equals its CoreIndex. The same holds
// for the threads of loop iterations (analysis/certificate/points/point_threads.h), which are
// agents of a separate record.
#pragma once
#include "core/program/id.h"

namespace tessera {

using EventId = Id<struct RecordedEvent>;          // into Record::events
using RecordedAgentId = Id<struct RecordedAgent>;  // into Record::agents; for a core: its CoreIndex
using RangeId = Id<struct Range>;                  // into Record::ranges
using CellId = Id<struct SemId>;                   // into Record::cells

}  // namespace tessera
