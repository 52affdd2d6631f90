#include "analysis/certificate/unrolled_ring/signals_to_all.h"

#include <set>

namespace tessera {
namespace {

// True if two signals of a statement have equal amounts, and cells that only differ in the owner.
// has_cores: the owner may be another core of the device.
bool is_alike(const Record& record, const Table<CellId, RingCell>& keys, EventId a, EventId b,
              bool has_cores) {
  const RecordedEvent &x = record.event(a), &y = record.event(b);
  if (y.act != Act::signal || x.statement != y.statement || x.amount != y.amount) return false;
  const RingCell of_x = keys[x.cell()];
  RingCell of_y = keys[y.cell()];
  if (has_cores) of_y.core = of_x.core;
  return of_x == of_y;
}

}  // namespace

std::int32_t signals_to_all(const Record& record, const Table<CellId, RingCell>& keys,
                            EventId first) {
  const RecordedEvent& like = record.event(first);
  const SemId& barrier = record.cells[like.cell()];
  if (record.program->semaphores[barrier.semaphore].kind != SemKind::barrier) return 0;
  for (const bool has_cores : {false, true}) {
    const std::int32_t all = has_cores ? record.cores() : record.topology.devices;
    if (record.agents[like.agent].end - first < all) return 0;
    std::set<CoreIndex> owners;
    for (const EventId e : IdRange(first, first + all))
      if (is_alike(record, keys, first, e, has_cores))
        owners.insert(record.cells[record.event(e).cell()].core);
    if (owners.size() == static_cast<std::size_t>(all)) return all;
  }
  return 0;
}

}  // namespace tessera
