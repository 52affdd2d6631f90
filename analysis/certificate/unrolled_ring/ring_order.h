// Waits for all devices of a ring, and the order of its run.
#pragma once
#include <string>

#include "analysis/certificate/unrolled_ring/ring.h"

namespace tessera {

// Sets RingEvent::to_all of the waits for signals to all devices, and divides their amounts by the
// number of devices. Returns why that is not possible, or an empty string.
std::string find_waits_for_all(Ring& ring);

// Sets Ring::order: the run of a ring of one device, which signals itself. All devices of a ring
// can run like it, each event at the same time. Returns why that is not possible, or an empty
// string.
std::string find_order(Ring& ring);

}  // namespace tessera
