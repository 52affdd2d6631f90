// Ids of what a record has. A core has one number as an agent and as a site; so have the threads of
// points (analysis/certificate/points/point_threads.h), which are agents of a record of their own.
#pragma once
#include "core/program/id.h"

namespace tessera {

using EventId = Id<struct RecordedEvent>;          // into Record::events
using RecordedAgentId = Id<struct RecordedAgent>;  // into Record::agents; of a core: its site
using RangeId = Id<struct Range>;                  // into Record::ranges
using CellId = Id<struct SemId>;                   // into Record::cells

}  // namespace tessera
