// Decides whether a ring is long enough to stand for all longer ones: a blocked device must leave a
// gap of devices that it does not affect.
#pragma once
#include <cstdint>

#include "analysis/certificate/unrolled_ring/cover.h"

namespace tessera {

enum class Gap : std::uint8_t { enough, too_small, over_budget };

// Blocks device 0 of the cover before its accesses, in turn; by symmetry it stands for all devices.
// All other agents advance until they are blocked. The gap is the longest row of devices that are
// all at the same event, more than 2 * reach away from device 0. It is enough if it has
//
//   reach devices          that are all at their ends, or
//   2 * reach + 1 devices  at any event.
//
// Further devices can then be inserted in the gap: they stop at the same event, and all others
// where they are.
//
// budget: max number of events to replay. Output: `replayed`, increased by that number.
Gap find_gap(const Ring& ring, const Cover& cover, std::int64_t budget, std::int64_t& replayed);

}  // namespace tessera
