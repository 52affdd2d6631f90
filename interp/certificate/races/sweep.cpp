#include "interp/certificate/races/sweep.h"

#include <algorithm>
#include <numeric>

namespace tessera {

Sweep::Sweep(const Record& record, const Conflicts& conflicts,
             const Table<EventId, std::int32_t>& turns)
    : record_(record),
      conflicts_(conflicts),
      turns_(turns),
      crosses_(record.cells.size()),
      item_counts_(record.core_ids().size()),
      items_(record.core_ids().size()) {
  find_crossing();
  for (const RecordedAgentId d : record_.core_ids())
    for_each_item(record_.agents[d], d, [&](const Item&) { ++item_counts_[d]; });
  item_count_ = std::accumulate(item_counts_.begin(), item_counts_.end(), std::size_t{0});
}

std::int64_t Sweep::cost() const {
  const std::size_t each = item_count_ + record_.ranges.size();
  return static_cast<std::int64_t>(2 * record_.events.size() + each * items_.size());
}

void Sweep::find_crossing() {
  for (const RecordedEvent& e : record_.events) {
    if (e.act == Act::signal && record_.agents[e.agent].issuer != owner(e.cell()))
      crosses_[e.cell()] = true;
  }
}

// Whether others are concerned with what a core does there: it is theirs, or shared by the cores of
// a device.
bool Sweep::is_seen(RangeId r, RecordedAgentId core) const {
  const Range& range = record_.ranges[r];
  if (Record::core_at(range.site) != core) return true;
  return record_.topology.cores > 1 && range.kind == ObjectKind::buffer &&
         record_.program->buffers[range.buffer()].space == Space::hbm;
}

// What is not among the items: counts that only a core itself and its copies signal are always
// there when it waits for them.
template <typename Visit>
void Sweep::for_each_item(const RecordedAgent& agent, RecordedAgentId core,
                          const Visit& visit) const {
  for (const EventId e : agent.events()) {
    const RecordedEvent& self = event(e);
    switch (self.act) {
      case Act::none:
      case Act::poll:
      case Act::point:
      case Act::points_end:
        break;
      case Act::access:
        if (self.access == AccessKind::life || is_seen(self.range(), core))
          visit(Item{self.access == AccessKind::read ? What::read : What::change, self.object,
                     turns_[e]});
        break;
      case Act::signal:
        if (crosses_[self.cell()]) visit(Item{What::signal, self.object, self.amount});
        break;
      case Act::wait:
      case Act::await:
        if (crosses_[self.cell()])
          visit(Item{self.act == Act::wait ? What::wait : What::await, self.object, self.amount});
        break;
      case Act::start:
        for_each_item(record_.agents[self.copy()], core, visit);
        break;
    }
  }
}

// What a core does to the memory of another core: of its owner only the beginning and the end of
// lives is among the items.
bool Sweep::is_far(EventId x) const {
  const Range& range = record_.ranges[event(x).range()];
  return range.kind == ObjectKind::buffer && Record::core_at(range.site) != event(x).agent;
}

void Sweep::note(Table<RangeNodeId, Latest>& latest, EventId e) const {
  const RecordedEvent& self = event(e);
  note(latest, self.range(), self.access != AccessKind::read, turns_[e]);
}

void Sweep::note(Table<RangeNodeId, Latest>& latest, RangeId range, bool is_change,
                 std::int32_t turn) const {
  for (RangeNodeId node = RangeTrees::node_of(range); node; node = conflicts_.parent(node)) {
    Latest& known = latest[node];
    if (known.any >= turn && (!is_change || known.change >= turn)) return;
    known.any = std::max(known.any, turn);
    if (is_change) known.change = std::max(known.change, turn);
  }
}

// Whether an access that clashes with x and came after it in the run was reached. A copy is in the
// way of its own core, too.
bool Sweep::is_reached(EventId x, bool is_copy) const {
  const RecordedEvent& self = event(x);
  const bool is_read = self.access == AccessKind::read;
  const std::int32_t turn = turns_[x];
  const auto is_before = [&](const Latest& latest) {
    return (is_read ? latest.change : latest.any) <= turn;
  };
  return conflicts_.walk(
      self.range(),
      [&](RangeNodeId node) {
        return is_before(others_[node]) && (!is_copy || is_before(own_[node]));
      },
      [](RangeNodeId) { return true; });
}

void Sweep::signal(CellId cell, std::int64_t amount) {
  count_[cell] += amount;
  const RecordedAgentId core = owner(cell);
  if (waiting_[core] != cell) return;
  waiting_[core] = CellId();
  open_.push_back(core);
}

void Sweep::run(RecordedAgentId core) {
  const std::vector<Item>& items = items_[core];
  std::size_t& p = position_[core];
  for (; p < items.size(); ++p) {
    const Item& item = items[p];
    switch (item.what) {
      case What::read:
      case What::change:
        note(others_, item.object.range(), item.what == What::change,
             static_cast<std::int32_t>(item.value));
        break;
      case What::signal:
        signal(item.object.cell(), item.value);
        break;
      case What::wait:
      case What::await:
        if (count_[item.object.cell()] < item.value) {
          waiting_[core] = item.object.cell();
          return;
        }
        if (item.what == What::wait) count_[item.object.cell()] -= item.value;
        break;
    }
  }
}

void Sweep::drain() {
  while (!open_.empty()) {
    const RecordedAgentId core = open_.back();
    open_.pop_back();
    if (core != swept_) run(core);
  }
}

void Sweep::start(RecordedAgentId copy) {
  const RecordedAgent& self = record_.agents[copy];
  for (const EventId e : self.events()) {
    if (event(e).act == Act::access) note(others_, e);
    if (event(e).act == Act::signal && crosses_[event(e).cell()])
      signal(event(e).cell(), event(e).amount);
  }
}

void Sweep::sweep(RecordedAgentId core) {
  swept_ = core;
  std::fill(position_.begin(), position_.end(), 0);
  std::fill(count_.begin(), count_.end(), 0);
  std::fill(waiting_.begin(), waiting_.end(), CellId());
  std::fill(others_.begin(), others_.end(), Latest{});
  std::fill(own_.begin(), own_.end(), Latest{});
  for (const RecordedAgentId d : record_.core_ids()) open_.push_back(d);
  drain();
  const RecordedAgent& agent = record_.agents[core];
  auto held = std::lower_bound(held_.begin(), held_.end(), std::pair(agent.begin, EventId(0)));
  for (const EventId e : agent.events()) {
    const RecordedEvent& self = event(e);
    switch (self.act) {
      case Act::none:
      case Act::poll:
      case Act::point:
      case Act::points_end:
        break;
      case Act::access:
        if (is_far(e) || is_reached(e, false)) suspects_[e] = true;
        note(own_, e);
        break;
      case Act::signal:
        if (crosses_[self.cell()]) signal(self.cell(), self.amount);
        break;
      case Act::wait:
      case Act::await:
        for (; held != held_.end() && held->first == e; ++held)
          if (is_reached(held->second, true)) suspects_[held->second] = true;
        break;
      case Act::start:
        start(self.copy());
        break;
    }
    drain();
  }
}

Table<EventId, bool> Sweep::suspects() {
  const std::size_t cores = record_.core_ids().size();
  suspects_.assign(record_.events.size(), false);
  held_.clear();
  position_.resize(cores);
  waiting_.resize(cores);
  count_.resize(record_.cells.size());
  others_.resize(conflicts_.nodes());
  own_.resize(conflicts_.nodes());
  for (const RecordedAgentId d : record_.core_ids()) {
    items_[d].reserve(item_counts_[d]);
    for_each_item(record_.agents[d], d, [&](const Item& item) { items_[d].push_back(item); });
  }
  find_waits();
  assign_copies();
  for (const RecordedAgentId d : record_.core_ids()) sweep(d);
  return std::move(suspects_);
}

}  // namespace tessera
