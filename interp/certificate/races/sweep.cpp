#include "interp/certificate/races/sweep.h"

#include <algorithm>
#include <numeric>

namespace tessera {

Sweep::Sweep(const Record& record, const Conflicts& conflicts,
             const std::vector<std::int32_t>& turns)
    : record_(record),
      conflicts_(conflicts),
      turns_(turns),
      crosses_(record.cells.size()),
      item_counts_(at(record.cores())),
      items_(at(record.cores())) {
  find_crossing();
  for (std::int32_t d = 0; d < record_.cores(); ++d)
    for_each_item(record_.agents[at(d)], d, [&](const Item&) { ++item_counts_[at(d)]; });
  item_count_ = std::accumulate(item_counts_.begin(), item_counts_.end(), std::size_t{0});
}

std::int64_t Sweep::cost() const {
  const std::size_t each = item_count_ + record_.ranges.size();
  return static_cast<std::int64_t>(2 * record_.events.size() + each * items_.size());
}

void Sweep::find_crossing() {
  for (const RecordedEvent& e : record_.events) {
    if (e.act == Act::signal && record_.agents[at(e.agent)].issuer != owner(e.object))
      crosses_[at(e.object)] = true;
  }
}

// Whether others are concerned with what a core does there: it is theirs, or shared by the cores of
// a device.
bool Sweep::is_seen(std::int32_t r, std::int32_t core) const {
  const Range& range = record_.ranges[at(r)];
  if (range.site != core) return true;
  return record_.topology.cores > 1 && range.kind == ObjectKind::buffer &&
         record_.program->buffers[range.buffer()].space == Space::hbm;
}

// What is not among the items: counts that only a core itself and its copies signal are always
// there when it waits for them.
template <typename Visit>
void Sweep::for_each_item(const RecordedAgent& agent, std::int32_t core, const Visit& visit) const {
  for (std::int32_t e = agent.begin; e < agent.end; ++e) {
    const RecordedEvent& self = event(e);
    switch (self.act) {
      case Act::none:
      case Act::poll:
      case Act::point:
      case Act::points_end:
        break;
      case Act::access:
        if (self.access == AccessKind::life || is_seen(self.object, core))
          visit(Item{self.access == AccessKind::read ? What::read : What::change, self.object,
                     turns_[at(e)]});
        break;
      case Act::signal:
        if (crosses_[at(self.object)]) visit(Item{What::signal, self.object, self.amount});
        break;
      case Act::wait:
      case Act::await:
        if (crosses_[at(self.object)])
          visit(Item{self.act == Act::wait ? What::wait : What::await, self.object, self.amount});
        break;
      case Act::start:
        for_each_item(record_.agents[at(self.object)], core, visit);
        break;
    }
  }
}

// What a core does to the memory of another core: of its owner only the beginning and the end of
// lives is among the items.
bool Sweep::is_far(std::int32_t x) const {
  const Range& range = record_.ranges[at(event(x).object)];
  return range.kind == ObjectKind::buffer && range.site != event(x).agent;
}

void Sweep::note(std::vector<Latest>& latest, std::int32_t e) const {
  const RecordedEvent& self = event(e);
  note(latest, self.object, self.access != AccessKind::read, turns_[at(e)]);
}

void Sweep::note(std::vector<Latest>& latest, std::int32_t range, bool is_change,
                 std::int32_t turn) const {
  for (std::int32_t node = range; node >= 0; node = conflicts_.parent(node)) {
    Latest& known = latest[at(node)];
    if (known.any >= turn && (!is_change || known.change >= turn)) return;
    known.any = std::max(known.any, turn);
    if (is_change) known.change = std::max(known.change, turn);
  }
}

// Whether an access that clashes with x and came after it in the run was reached. A copy is in the
// way of its own core, too.
bool Sweep::is_reached(std::int32_t x, bool is_copy) const {
  const RecordedEvent& self = event(x);
  const bool is_read = self.access == AccessKind::read;
  const std::int32_t turn = turns_[at(x)];
  const auto is_before = [&](const Latest& latest) {
    return (is_read ? latest.change : latest.any) <= turn;
  };
  return conflicts_.walk(
      self.object,
      [&](std::int32_t node) {
        return is_before(others_[at(node)]) && (!is_copy || is_before(own_[at(node)]));
      },
      [](std::int32_t) { return true; });
}

void Sweep::signal(std::int32_t cell, std::int64_t amount) {
  count_[at(cell)] += amount;
  const std::int32_t core = owner(cell);
  if (waiting_[at(core)] != cell) return;
  waiting_[at(core)] = -1;
  open_.push_back(core);
}

void Sweep::run(std::int32_t core) {
  const std::vector<Item>& items = items_[at(core)];
  std::size_t& p = position_[at(core)];
  for (; p < items.size(); ++p) {
    const Item& item = items[p];
    switch (item.what) {
      case What::read:
      case What::change:
        note(others_, item.object, item.what == What::change,
             static_cast<std::int32_t>(item.value));
        break;
      case What::signal:
        signal(item.object, item.value);
        break;
      case What::wait:
      case What::await:
        if (count_[at(item.object)] < item.value) {
          waiting_[at(core)] = item.object;
          return;
        }
        if (item.what == What::wait) count_[at(item.object)] -= item.value;
        break;
    }
  }
}

void Sweep::drain() {
  while (!open_.empty()) {
    const std::int32_t core = open_.back();
    open_.pop_back();
    if (core != swept_) run(core);
  }
}

void Sweep::start(std::int32_t copy) {
  const RecordedAgent& self = record_.agents[at(copy)];
  for (std::int32_t e = self.begin; e < self.end; ++e) {
    if (event(e).act == Act::access) note(others_, e);
    if (event(e).act == Act::signal && crosses_[at(event(e).object)])
      signal(event(e).object, event(e).amount);
  }
}

void Sweep::sweep(std::int32_t core) {
  swept_ = core;
  std::fill(position_.begin(), position_.end(), 0);
  std::fill(count_.begin(), count_.end(), 0);
  std::fill(waiting_.begin(), waiting_.end(), -1);
  std::fill(others_.begin(), others_.end(), Latest{});
  std::fill(own_.begin(), own_.end(), Latest{});
  for (std::int32_t d = 0; d < record_.cores(); ++d) open_.push_back(d);
  drain();
  const RecordedAgent& agent = record_.agents[at(core)];
  auto held = std::lower_bound(held_.begin(), held_.end(), std::pair(agent.begin, 0));
  for (std::int32_t e = agent.begin; e < agent.end; ++e) {
    const RecordedEvent& self = event(e);
    switch (self.act) {
      case Act::none:
      case Act::poll:
      case Act::point:
      case Act::points_end:
        break;
      case Act::access:
        if (is_far(e) || is_reached(e, false)) suspects_[at(e)] = true;
        note(own_, e);
        break;
      case Act::signal:
        if (crosses_[at(self.object)]) signal(self.object, self.amount);
        break;
      case Act::wait:
      case Act::await:
        for (; held != held_.end() && held->first == e; ++held)
          if (is_reached(held->second, true)) suspects_[at(held->second)] = true;
        break;
      case Act::start:
        start(self.object);
        break;
    }
    drain();
  }
}

std::vector<bool> Sweep::suspects() {
  const auto cores = at(record_.cores());
  suspects_.assign(record_.events.size(), false);
  held_.clear();
  position_.resize(cores);
  waiting_.resize(cores);
  count_.resize(record_.cells.size());
  others_.resize(at(conflicts_.nodes()));
  own_.resize(at(conflicts_.nodes()));
  for (std::int32_t d = 0; d < record_.cores(); ++d) {
    items_[at(d)].reserve(item_counts_[at(d)]);
    for_each_item(record_.agents[at(d)], d,
                  [&](const Item& item) { items_[at(d)].push_back(item); });
  }
  find_waits();
  assign_copies();
  for (std::int32_t d = 0; d < record_.cores(); ++d) sweep(d);
  return std::move(suspects_);
}

}  // namespace tessera
