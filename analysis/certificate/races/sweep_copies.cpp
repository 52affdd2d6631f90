// Finds, before the passes, the wait that cannot be passed while a copy is blocked at an access.
#include <algorithm>

#include "analysis/certificate/races/sweep.h"

namespace tessera {

// Computes the surplus of each wait: the maximum count of its cell before the wait is passed, minus
// the amount of the wait.
void Sweep::find_waits() {
  std::vector<std::pair<CellId, Waiting>> waits;
  std::vector<std::pair<CellId, std::int64_t>> spares;
  Table<CellId, std::int64_t> spare(record_.cells.size());
  for (const RecordedEvent& e : record_.events) {
    if (e.act == Act::signal && record_.agents[e.agent].issuer != waiter(e.cell()))
      spare[e.cell()] += e.amount;
  }
  for (const RecordedAgentId d : record_.core_ids()) {
    const RecordedAgent& core = record_.agents[d];
    for (const EventId e : core.events()) {
      const RecordedEvent& self = event(e);
      if (self.act == Act::signal && waiter(self.cell()) == d) spare[self.cell()] += self.amount;
      if (self.act == Act::start) {
        const RecordedAgent& copy = record_.agents[self.copy()];
        for (const EventId s : copy.events()) {
          if (event(s).act == Act::signal && waiter(event(s).cell()) == d)
            spare[event(s).cell()] += event(s).amount;
        }
      }
      if (self.act != Act::wait && self.act != Act::await) continue;
      if (waiter(self.cell()) != d) continue;
      waits.push_back({self.cell(), {e, turns_[e]}});
      spares.emplace_back(self.cell(), spare[self.cell()] - self.amount);
      if (self.act == Act::wait) spare[self.cell()] -= self.amount;
    }
  }
  waits_ = Lists<CellId, Waiting>(record_.cells.size(), waits);
  const Lists<CellId, std::int64_t> by_cell(record_.cells.size(), spares);
  spares_ = FirstBelow({by_cell.all().begin(), by_cell.all().end()});
}

// Returns the wait that cannot be passed while the copy is blocked before x, or none. It must be a
// wait of the core that x's range names, because accesses of that core to its own memory are not
// items. Accesses of iterations are items, so there it may be a wait of any agent.
EventId Sweep::blocked_at(EventId x) const {
  const RecordedAgent& copy = record_.agents[event(x).agent];
  const RecordedAgentId core = Record::core_at(record_.ranges[event(x).range()].core);
  for (const EventId s : IdRange(x + 1, copy.end)) {
    if (event(s).act != Act::signal) continue;
    const CellId cell = event(s).cell();
    if (has_iterations_ ? !waiter(cell) : waiter(cell) != core) continue;
    std::int64_t withheld = 0;
    for (const EventId i : IdRange(s, copy.end))
      if (event(i).act == Act::signal && event(i).cell() == cell)
        withheld += event(i).amount - record_.but_a_granule(event(i));
    const std::span<const Waiting> waits = waits_.of(cell);
    const auto later = std::partition_point(waits.begin(), waits.end(),
                                            [&](const Waiting& w) { return w.turn <= turns_[x]; });
    const std::size_t first = waits_.begin(cell);
    const std::size_t wait =
        spares_.find(first + static_cast<std::size_t>(later - waits.begin()), withheld) - first;
    return wait < waits.size() ? waits[wait].event : EventId();
  }
  return {};
}

void Sweep::assign_copies() {
  for (const RecordedAgentId a : record_.copy_ids()) {
    const RecordedAgent& copy = record_.agents[a];
    for (const EventId x : copy.events()) {
      if (event(x).act != Act::access || !conflicts_.overlaps_any(event(x).range())) continue;
      if (const EventId wait = blocked_at(x))
        held_.emplace_back(wait, x);
      else
        suspects_[x] = Suspicion::race;
    }
  }
  std::sort(held_.begin(), held_.end());
}

}  // namespace tessera
