#include "analysis/certificate/unrolled_ring/ring_order.h"

#include <fmt/format.h>

#include <vector>

namespace tessera {

std::string find_waits_for_all(Ring& ring) {
  std::vector<std::uint8_t> is_of_all(ring.cells.size()), is_of_some(ring.cells.size());
  for (const RingEvent& event : ring.events)
    if (event.act == Act::signal)
      (event.to_all ? is_of_all : is_of_some)[static_cast<std::size_t>(event.object)] = 1;
  for (RingEvent& event : ring.events) {
    const bool is_wait = event.act == Act::wait || event.act == Act::await;
    if (!is_wait || is_of_all[static_cast<std::size_t>(event.object)] == 0) continue;
    if (is_of_some[static_cast<std::size_t>(event.object)] != 0 || event.amount % ring.size() != 0)
      return fmt::format("the wait in line {} is not for the signals of all devices",
                         ring.record->program->loc(event.statement).line);
    event.amount /= ring.size();
    event.to_all = true;
  }
  return {};
}

std::string find_order(Ring& ring) {
  std::vector<std::int64_t> count(ring.cells.size());
  std::vector<std::int32_t> next;
  for (const RingAgent& agent : ring.agents) next.push_back(agent.begin);
  const auto apply = [&](std::int32_t i) {
    const RingEvent& event = ring.events[static_cast<std::size_t>(i)];
    const auto object = static_cast<std::size_t>(event.object);
    const bool is_wait = event.act == Act::wait || event.act == Act::await;
    if (is_wait && count[object] < event.amount) return false;
    if (event.act == Act::wait) count[object] -= event.amount;
    if (event.act == Act::signal) count[object] += event.amount;
    ring.order.push_back(i);
    return true;
  };
  for (bool has_moved = true; has_moved;) {
    has_moved = false;
    for (std::size_t c = 0; c < static_cast<std::size_t>(ring.cores()); ++c) {
      std::int32_t& p = next[c];
      for (; p < ring.agents[c].end && apply(p); ++p) {
        has_moved = true;
        const RingEvent& event = ring.events[static_cast<std::size_t>(p)];
        if (event.act != Act::start) continue;
        const RingAgent& copy = ring.agents[static_cast<std::size_t>(event.object)];
        for (std::int32_t i = copy.begin; i < copy.end; ++i) apply(i);
      }
    }
  }
  if (ring.order.size() == ring.events.size()) return {};
  return "the devices do not reach their ends in lockstep";
}

}  // namespace tessera
