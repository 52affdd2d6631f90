// Points that cannot come first, or not whatever the order of points elsewhere is.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/certificate/points/point_threads.h"

namespace tessera {

struct PointNeed {
  LoopRunId loop{};
  RecordedAgentId thread{};
  EventId wait{};                      // the event at which it stops
  bool is_of_order_elsewhere = false;  // and it would not in some order of other cores' points
};
std::vector<PointNeed> point_needs(const PointThreads& threads, std::size_t most);

}  // namespace tessera
