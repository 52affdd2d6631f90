// A longer ring whose devices execute the events of the devices of a ring.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/certificate/unrolled_ring/ring.h"

namespace tessera {

struct Cover {
  // Complete record of the longer ring. Device i is at place i, and executes the events of place i
  // modulo the size of the ring, with the same rectangles.
  Record record;
  // Index in Ring::events of each event of a device, by agent of the device, in the order of the
  // events in `record`. Signals to all devices have several entries.
  std::vector<std::vector<std::int32_t>> sources;

  // Index in Ring::events of an event of `record`; number of the device that executes it.
  std::int32_t source(EventId e) const;
  std::int32_t device(EventId e) const;
  // Index in Ring::agents of an agent of `record`.
  std::int32_t number(RecordedAgentId agent) const;
};

// Returns the number of events of a ring of `devices` devices.
std::int64_t events_of_cover(const Ring& ring, std::int32_t devices);

// Builds the ring of `devices` devices. It is a cover of the ring if `devices` is a multiple of its
// size. Otherwise it is only meaningful if all devices have equal rectangles.
// The order of the run moves all devices at the same time, so it is the same for all devices.
// ring: must outlive the result. devices: more than 2 * ring.reach.
Cover cover(const Ring& ring, std::int32_t devices);

}  // namespace tessera
