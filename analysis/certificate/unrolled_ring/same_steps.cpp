#include "analysis/certificate/unrolled_ring/same_steps.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace tessera {
namespace {

bool has_same_events(const Ring& a, const Ring& b) {
  return a.agents == b.agents && a.events == b.events && a.cells == b.cells;
}

const Range& range(const Ring& ring, std::size_t event) {
  return ring.record->ranges[ring.record->event(ring.recorded.front()[event]).range()];
}

// Buffers that an event of the ring changes.
std::set<std::int32_t> changed_buffers(const Ring& ring) {
  std::set<std::int32_t> changed;
  for (const RingEvent& event : ring.events)
    if (event.act == Act::access && event.access != AccessKind::read &&
        event.kind == ObjectKind::buffer)
      changed.insert(event.range_object);
  return changed;
}

bool has_same_boxes(const Ring& a, const Ring& b) {
  if (!a.has_equal_boxes || !b.has_equal_boxes) return false;
  const std::set<std::int32_t> changed = changed_buffers(a);
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    const RingEvent& event = a.events[i];
    if (event.act != Act::access || event.kind != ObjectKind::buffer) continue;
    if (changed.contains(event.range_object) && range(a, i).box != range(b, i).box) return false;
  }
  return true;
}

// The kinds of events of a device, without their numbers and amounts.
auto kinds(const Ring& ring) {
  std::set<std::tuple<Act, AccessKind, bool, StmtId, std::int32_t, ObjectKind, std::int32_t,
                      SemaphoreId>>
      kinds;
  for (const RingEvent& event : ring.events) {
    const bool has_cell =
        event.act == Act::signal || event.act == Act::wait || event.act == Act::await;
    kinds.insert(
        {event.act, event.access, event.to_all, event.statement, event.distance, event.kind,
         event.range_object,
         has_cell ? ring.cells[static_cast<std::size_t>(event.object)].semaphore : SemaphoreId()});
  }
  return kinds;
}

}  // namespace

SameSteps same_steps(const Ring& a, const Ring& b) {
  if (has_same_events(a, b)) return has_same_boxes(a, b) ? SameSteps::same : SameSteps::other_boxes;
  return kinds(a) == kinds(b) ? SameSteps::other_steps : SameSteps::different;
}

SameSteps same_steps(const Record& a, const Record& b) {
  const FoundRing of_a = find_ring(a), of_b = find_ring(b);
  if (!of_a.ring || !of_b.ring) return SameSteps::different;
  return same_steps(*of_a.ring, *of_b.ring);
}

}  // namespace tessera
