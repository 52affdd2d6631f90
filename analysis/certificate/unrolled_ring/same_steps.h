// Compares rings of different numbers of devices.
#pragma once
#include <cstdint>

#include "analysis/certificate/unrolled_ring/ring.h"

namespace tessera {

enum class SameSteps : std::uint8_t {
  // Each device executes the same events on the same rectangles, at the same distances. If this
  // is so for every number of devices, LengthVerdict::quiet is a proof for all of them.
  same,
  other_boxes,  // the same except for rectangles
  other_steps,  // the same statements on the same objects and distances, with other numbers of
                // events, or with other amounts
  different
};

// Compares the devices of two rings, which must have runs of the same text (statement ids are
// compared), and all devices of each ring. Rectangles of buffers that no event changes are not
// compared.
SameSteps same_steps(const Ring& a, const Ring& b);
// The same for records; SameSteps::different if one of them is no ring.
SameSteps same_steps(const Record& a, const Record& b);

}  // namespace tessera
