// Passes of the sweep: block, release and advance agents.
#include <algorithm>

#include "analysis/certificate/races/additions.h"
#include "analysis/certificate/races/sweep.h"
#include "core/report/stop.h"

namespace tessera {

void Sweep::block_all(bool is_logged) {
  const std::size_t cores = record_.core_ids().size();
  is_blocked_.assign(cores, true);
  position_.assign(cores, 0, is_logged);
  count_.assign(record_.cells.size(), 0, is_logged);
  others_.assign(conflicts_.nodes(), {}, is_logged);
  own_.assign(conflicts_.nodes(), {}, is_logged);
}

void Sweep::release(Agents agents) {
  for (const RecordedAgentId a : agents) {
    is_blocked_[a] = false;
    open_.push_back(a);
  }
}

// Runs the passes of these blocked agents, then restores the state.
void Sweep::sweep_each(Agents blocked) {
  leave_if_stopped();
  const RecordedAgentId begin = *blocked.begin(), end = *blocked.end();
  if (end - begin == 1) return sweep_while_free({begin, begin}, blocked);
  const RecordedAgentId middle = begin + (end - begin) / 2;
  sweep_while_free({begin, middle}, {middle, end});
  sweep_while_free({middle, end}, {begin, middle});
}

void Sweep::sweep_while_free(Agents released, Agents blocked) {
  const std::size_t position = position_.mark(), count = count_.mark(), others = others_.mark(),
                    own = own_.mark();
  release(released);
  drain();
  if (blocked.size() == 1)
    sweep(*blocked.begin());
  else
    sweep_each(blocked);
  for (const RecordedAgentId a : released) is_blocked_[a] = true;
  position_.undo(position);
  count_.undo(count);
  others_.undo(others);
  own_.undo(own);
}

// True if a core accesses memory of another core. The owner's items for that memory are only starts
// and ends of lifetimes.
bool Sweep::is_far(EventId x) const {
  if (has_iterations_) return false;
  const Range& range = record_.ranges[event(x).range()];
  return range.kind == ObjectKind::buffer && Record::core_at(range.core) != event(x).agent;
}

void Sweep::note(LatestAccesses& latest, EventId e) const {
  const RecordedEvent& self = event(e);
  note(latest, self.range(), self.access, turns_[e]);
}

void Sweep::note(LatestAccesses& latest, RangeId range, AccessKind kind, std::int32_t turn) const {
  const bool is_change = kind != AccessKind::read, is_sum = kind == AccessKind::accumulate;
  for (RangeNodeId node = RangeTrees::node_of(range); node; node = conflicts_.parent(node)) {
    Latest known = latest[node];
    if (known.any >= turn && (!is_change || known.change >= turn) &&
        (is_sum || known.but_sum >= turn))
      return;
    known.any = std::max(known.any, turn);
    if (is_change) known.change = std::max(known.change, turn);
    if (!is_sum) known.but_sum = std::max(known.but_sum, turn);
    latest.set(node, known);
  }
}

// True if an access after x in the run was reached. For a copy, accesses of its own core count,
// too.
template <typename IsBefore>
bool Sweep::is_reached(EventId x, bool is_copy, const IsBefore& is_before) const {
  return conflicts_.walk(
      event(x).range(),
      [&](RangeNodeId node) {
        return is_before(others_[node]) && (!is_copy || is_before(own_[node]));
      },
      [](RangeNodeId) { return true; });
}

// Marks x as suspect if a conflicting access that came after it in the run was reached.
void Sweep::check(EventId x, bool is_copy) {
  if (suspects_[x] == Suspicion::race) return;
  const RecordedEvent& self = event(x);
  const std::int32_t turn = turns_[x];
  const bool is_sum = self.access == AccessKind::accumulate;
  std::int32_t Latest::*const clashing = self.access == AccessKind::read ? &Latest::change
                                         : is_sum                        ? &Latest::but_sum
                                                                         : &Latest::any;
  if (is_reached(x, is_copy, [&](const Latest& latest) { return latest.*clashing <= turn; }))
    suspects_[x] = Suspicion::race;
  else if (is_sum && !adds_integers(record_, self) &&
           is_reached(x, is_copy, [&](const Latest& latest) { return latest.any <= turn; }))
    suspects_[x] = Suspicion::sum;
}

void Sweep::signal(CellId cell, std::int64_t amount) {
  count_.set(cell, count_[cell] + amount);
  for (const RecordedAgentId core : waiters_.of(cell)) {
    const std::vector<Item>& items = items_[core];
    const std::size_t p = position_[core];
    if (is_blocked_[core] || p >= items.size()) continue;
    const bool is_wait = items[p].what == What::wait || items[p].what == What::await;
    if (is_wait && items[p].object.cell() == cell) open_.push_back(core);
  }
}

void Sweep::run(RecordedAgentId core) {
  const std::vector<Item>& items = items_[core];
  const std::size_t from = position_[core];
  std::size_t p = from;
  for (bool is_stopped = false; p < items.size() && !is_stopped;) {
    const Item& item = items[p];
    switch (item.what) {
      case What::access:
        note(others_, item.object.range(), item.access, static_cast<std::int32_t>(item.value));
        break;
      case What::signal:
        signal(item.object.cell(), item.value);
        break;
      case What::wait:
      case What::await: {
        const std::int64_t count = count_[item.object.cell()];
        is_stopped = count < item.value;
        if (!is_stopped && item.what == What::wait)
          count_.set(item.object.cell(), count - item.value);
        break;
      }
    }
    if (!is_stopped) ++p;
  }
  if (p > from) position_.set(core, p);
  events_done_ += static_cast<std::int64_t>(p - from);
}

void Sweep::drain() {
  while (!open_.empty()) {
    const RecordedAgentId core = open_.back();
    open_.pop_back();
    if (!is_blocked_[core]) run(core);
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

void Sweep::check_held(EventId wait) {
  auto held = std::lower_bound(held_.begin(), held_.end(), std::pair(wait, EventId(0)));
  for (; held != held_.end() && held->first == wait; ++held) check(held->second, true);
}

// Returns the position after the last event that has a check.
EventId Sweep::end_of_checks(RecordedAgentId core) const {
  const RecordedAgent& agent = record_.agents[core];
  EventId end = agent.end;
  for (; end > agent.begin; --end) {
    const Act act = event(end - 1).act;
    if (act == Act::access || act == Act::wait || act == Act::await) break;
  }
  return end;
}

// Advances a blocked core event by event, and after each event all others as far as possible.
void Sweep::sweep(RecordedAgentId core) {
  for (const EventId e : IdRange(record_.agents[core].begin, end_of_checks(core))) {
    const RecordedEvent& self = event(e);
    ++events_done_;
    switch (self.act) {
      case Act::none:
      case Act::poll:
      case Act::point:
      case Act::points_end:
        break;
      case Act::access:
        if (is_far(e))
          suspects_[e] = Suspicion::race;
        else
          check(e, false);
        note(own_, e);
        break;
      case Act::signal:
        if (crosses_[self.cell()]) signal(self.cell(), self.amount);
        break;
      case Act::wait:
      case Act::await:
        check_held(e);
        break;
      case Act::start:
        start(self.copy());
        break;
    }
    drain();
  }
}

}  // namespace tessera
