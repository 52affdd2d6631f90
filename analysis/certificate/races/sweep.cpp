#include "analysis/certificate/races/sweep.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/report/stop.h"

namespace tessera {

bool has_iterations(const Record& record) {
  if (record.cores() == 0) return false;
  const RecordedAgentId last(record.cores() - 1);
  return record.core_of(record.agents[last].id) != last;
}

Sweep::Sweep(const Record& record, const Conflicts& conflicts,
             const Table<EventId, std::int32_t>& turns)
    : record_(record),
      conflicts_(conflicts),
      turns_(turns),
      has_iterations_(has_iterations(record)),
      crosses_(record.cells.size()),
      item_counts_(record.core_ids().size()),
      items_(record.core_ids().size()) {
  find_waiters();
  find_crossing();
  for (const RecordedAgentId d : record_.core_ids())
    for_each_item(record_.agents[d], d, [&](const Item&) { ++item_counts_[d]; });
  item_count_ = std::accumulate(item_counts_.begin(), item_counts_.end(), std::size_t{0});
}

std::int64_t Sweep::cost() const {
  const std::size_t each = item_count_ + record_.ranges.size();
  const std::size_t passes =
      has_iterations_ ? static_cast<std::size_t>(std::bit_width(items_.size())) : items_.size();
  return static_cast<std::int64_t>(2 * record_.events.size() + each * passes);
}

void Sweep::find_waiters() {
  std::vector<std::pair<CellId, RecordedAgentId>> waiters;
  Table<CellId, RecordedAgentId> last(record_.cells.size());
  for (const RecordedAgentId d : record_.core_ids()) {
    for (const EventId e : record_.agents[d].events()) {
      const RecordedEvent& self = event(e);
      if ((self.act != Act::wait && self.act != Act::await) || last[self.cell()] == d) continue;
      last[self.cell()] = d;
      waiters.emplace_back(self.cell(), d);
    }
  }
  waiters_ = Lists<CellId, RecordedAgentId>(record_.cells.size(), waiters);
}

void Sweep::find_crossing() {
  for (const RecordedEvent& e : record_.events) {
    if (e.act == Act::signal && record_.agents[e.agent].issuer != waiter(e.cell()))
      crosses_[e.cell()] = true;
  }
}

// True if the range concerns other cores than `core`: it belongs to another core, or is shared by
// the cores of a device. Iterations share all memory of their core.
bool Sweep::is_seen(RangeId r, RecordedAgentId core) const {
  const Range& range = record_.ranges[r];
  if (has_iterations_ || Record::core_at(range.core) != core) return true;
  return record_.topology.cores > 1 && range.kind == ObjectKind::buffer &&
         record_.program->buffers[range.buffer()].space == Space::hbm;
}

// Counts that only the core and its copies signal are not items: they are always there when the
// core waits for them. If several agents wait for one cell, their order is unknown, so none of them
// consumes its count here.
template <typename Visit>
void Sweep::for_each_item(const RecordedAgent& agent, RecordedAgentId core,
                          const Visit& visit) const {
  for (const EventId e : agent.events()) {
    const RecordedEvent& self = event(e);
    const auto is_taken = [&] { return self.act == Act::wait && waiter(self.cell()); };
    switch (self.act) {
      case Act::none:
      case Act::poll:
      case Act::point:
      case Act::points_end:
        break;
      case Act::access:
        if (self.access == AccessKind::lifetime || is_seen(self.range(), core))
          visit(Item{What::access, self.access, self.object, turns_[e]});
        break;
      case Act::signal:
        if (crosses_[self.cell()]) visit(Item{What::signal, self.access, self.object, self.amount});
        break;
      case Act::wait:
      case Act::await:
        if (crosses_[self.cell()])
          visit(Item{is_taken() ? What::wait : What::await, self.access, self.object, self.amount});
        break;
      case Act::start:
        for_each_item(record_.agents[self.copy()], core, visit);
        break;
    }
  }
}

Table<EventId, Suspicion> Sweep::suspects() {
  suspects_.assign(record_.events.size(), Suspicion::none);
  held_.clear();
  for (const RecordedAgentId d : record_.core_ids()) {
    items_[d].reserve(item_counts_[d]);
    for_each_item(record_.agents[d], d, [&](const Item& item) { items_[d].push_back(item); });
  }
  find_waits();
  assign_copies();
  const Agents all = record_.core_ids();
  if (has_iterations_) {
    block_all(true);
    sweep_each(all);
    return std::move(suspects_);
  }
  for (const RecordedAgentId d : all) {
    leave_if_stopped();
    block_all(false);
    release({*all.begin(), d});
    release({d + 1, *all.end()});
    drain();
    sweep(d);
  }
  return std::move(suspects_);
}

}  // namespace tessera
