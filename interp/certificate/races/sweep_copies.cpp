// Which accesses of copies a wait of a core holds back: found once, before the sweeps.
#include <algorithm>

#include "interp/certificate/races/sweep.h"

namespace tessera {

// Of each wait: how much more its cell can have than it takes, when everything came that can come
// before the wait is passed.
void Sweep::find_waits() {
  std::vector<std::pair<std::int32_t, Waiting>> waits;
  std::vector<std::pair<std::int32_t, std::int64_t>> spares;
  std::vector<std::int64_t> spare(record_.cells.size());
  for (const RecordedEvent& e : record_.events) {
    if (e.act == Act::signal && record_.agents[at(e.agent)].issuer != owner(e.object))
      spare[at(e.object)] += e.amount;
  }
  for (std::int32_t d = 0; d < record_.cores(); ++d) {
    const RecordedAgent& core = record_.agents[at(d)];
    for (std::int32_t e = core.begin; e < core.end; ++e) {
      const RecordedEvent& self = event(e);
      if (self.act == Act::signal && owner(self.object) == d) spare[at(self.object)] += self.amount;
      if (self.act == Act::start) {
        const RecordedAgent& copy = record_.agents[at(self.object)];
        for (std::int32_t s = copy.begin; s < copy.end; ++s) {
          if (event(s).act == Act::signal && owner(event(s).object) == d)
            spare[at(event(s).object)] += event(s).amount;
        }
      }
      if (self.act != Act::wait && self.act != Act::await) continue;
      waits.push_back({self.object, {e, turns_[at(e)]}});
      spares.emplace_back(self.object, spare[at(self.object)] - self.amount);
      if (self.act == Act::wait) spare[at(self.object)] -= self.amount;
    }
  }
  waits_ = Lists<Waiting>(record_.cells.size(), waits);
  const Lists<std::int64_t> by_cell(record_.cells.size(), spares);
  spares_ = FirstBelow({by_cell.all().begin(), by_cell.all().end()});
}

// The wait of the core at the site of x's range that cannot be passed while the copy stands before
// x, or -1.
std::int32_t Sweep::blocked_at(std::int32_t x) const {
  const RecordedAgent& copy = record_.agents[at(event(x).agent)];
  const std::int32_t core = record_.ranges[at(event(x).object)].site;
  for (std::int32_t s = x + 1; s < copy.end; ++s) {
    if (event(s).act != Act::signal || owner(event(s).object) != core) continue;
    const std::int32_t cell = event(s).object;
    std::int64_t withheld = 0;
    for (std::int32_t i = s; i < copy.end; ++i)
      if (event(i).act == Act::signal && event(i).object == cell)
        withheld += event(i).amount - record_.but_a_granule(event(i));
    const std::span<const Waiting> waits = waits_.of(cell);
    const auto later = std::partition_point(
        waits.begin(), waits.end(), [&](const Waiting& w) { return w.turn <= turns_[at(x)]; });
    const std::size_t first = waits_.begin(cell);
    const std::size_t wait =
        spares_.find(first + static_cast<std::size_t>(later - waits.begin()), withheld) - first;
    return wait < waits.size() ? waits[wait].event : -1;
  }
  return -1;
}

void Sweep::assign_copies() {
  for (std::size_t a = at(record_.cores()); a < record_.agents.size(); ++a) {
    const RecordedAgent& copy = record_.agents[a];
    for (std::int32_t x = copy.begin; x < copy.end; ++x) {
      if (event(x).act != Act::access || !conflicts_.overlaps_any(event(x).object)) continue;
      if (const std::int32_t wait = blocked_at(x); wait >= 0)
        held_.emplace_back(wait, x);
      else
        suspects_[at(x)] = true;
    }
  }
  std::sort(held_.begin(), held_.end());
}

}  // namespace tessera
