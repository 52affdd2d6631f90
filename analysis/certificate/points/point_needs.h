// Iterations that cannot run first, or only with some orders of iterations on other cores.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/certificate/points/point_threads.h"

namespace tessera {

struct PointNeed {
  LoopRunId loop{};
  RecordedAgentId thread{};
  EventId wait{};  // event at which it is blocked
  // True if it is blocked only in some orders of the iterations on other cores.
  bool is_of_order_elsewhere = false;
};
// Returns the iterations that are blocked if they run first in their loop, in all orders or only in
// some orders of iterations on other cores. most: max number of entries.
std::vector<PointNeed> point_needs(const PointThreads& threads, std::size_t most);

}  // namespace tessera
