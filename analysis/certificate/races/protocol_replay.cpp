#include "analysis/certificate/races/protocol_replay.h"

#include <algorithm>

#include "core/report/check.h"

namespace tessera {

ProtocolReplay::ProtocolReplay(const Record& record, const SignalTable& signals)
    : record_(record),
      signals_(signals),
      count_(record.cells.size()),
      is_started_(record.agents.size()),
      after_(record.agents.size()),
      in_flight_(record.core_ids().size()),
      in_flight_at_(record.agents.size()),
      is_on_stack_(record.core_ids().size()),
      dead_(record.core_ids().size()),
      flushed_(record.core_ids().size()) {
  for (const RecordedAgentId a : record.agents.ids()) {
    position_.add(record.agents[a].begin);
    if (record.agents[a].before) after_[record.agents[a].before] = a;
  }
}

EventId ProtocolReplay::end_of(RecordedAgentId a) const {
  for (const Held& held : held_)
    if (held.agent == a) return held.event;
  return agent(a).end;
}

void ProtocolReplay::apply(EventId e) {
  const RecordedEvent& done = event(e);
  CHECK(position_[done.agent] == e);
  ++position_[done.agent];
  switch (done.act) {
    case Act::signal:
      count_[done.cell()] += done.amount;
      break;
    case Act::wait:
      count_[done.cell()] -= done.amount;
      break;
    case Act::start:
      is_started_[done.copy()] = started;
      // A copy that took no step in the run has no events.
      if (!agent(done.copy()).is_empty()) {
        in_flight_at_[done.copy()] = in_flight_[done.agent].size();
        in_flight_[done.agent].push_back(done.copy());
      }
      break;
    default:
      break;
  }
  if (record_.is_core(done.agent) || agent(done.agent).end != e + 1) return;
  std::vector<RecordedAgentId>& copies = in_flight_[agent(done.agent).issuer];
  const std::size_t free = in_flight_at_[done.agent];
  copies[free] = copies.back();
  in_flight_at_[copies.back()] = free;
  copies.pop_back();
}

void ProtocolReplay::hold(RecordedAgentId a, EventId e) {
  Held& held = held_[held_[0].agent ? 1 : 0];
  CHECK(!held.agent);
  held = {a, e};
}

void ProtocolReplay::undo() {
  old_positions_.undo(position_);
  old_counts_.undo(count_);
  old_started_.undo(is_started_);
  held_[0] = held_[1] = {};
  ++fork_;
  ++epoch_;
}

void ProtocolReplay::add(CellId cell, std::int64_t amount) {
  old_counts_.note(cell, count_[cell]);
  count_[cell] += amount;
  if (!is_draining_ || amount < 0) return;
  std::vector<RecordedAgentId>& woken = waiters_[cell];
  open_.insert(open_.end(), woken.begin(), woken.end());
  woken.clear();
}

void ProtocolReplay::set_position(RecordedAgentId a, EventId to) {
  const EventId from = position_[a];
  old_positions_.note(a, from);
  position_[a] = to;
  events_done_ += to - from;
  if (stretches_ != nullptr) stretches_->push_back({.agent = a, .from = from, .to = to});
}

void ProtocolReplay::set_started(RecordedAgentId copy, Started state) {
  old_started_.note(copy, is_started_[copy]);
  is_started_[copy] = state;
}

void ProtocolReplay::start(RecordedAgentId copy) {
  set_started(copy, started);
  run_copy(copy);
}

// True if the preceding copy on the same link is complete, or if there is none.
bool ProtocolReplay::is_next_to_land(RecordedAgentId copy) const {
  const RecordedAgentId before = agent(copy).before;
  return !before || position_[before] == agent(before).end;
}

void ProtocolReplay::run_copy(RecordedAgentId copy) {
  for (; copy && is_started_[copy] != not_started; copy = after_[copy]) {
    const RecordedAgent& self = agent(copy);
    EventId p = position_[copy];
    const EventId held = end_of(copy);
    const EventId end = is_next_to_land(copy) ? held : std::min(held, record_.write_begin(self));
    if (p < end) {
      for (; p < end; ++p) {
        const RecordedEvent& next = event(p);
        if (next.act == Act::access) meet(p);
        if (next.act == Act::signal) add(next.cell(), next.amount);
      }
      set_position(copy, p);
    }
    if (p == held && held != self.end) run_partial(copy);
    if (p != self.end) return;
  }
}

// Completes a blocked copy except for one granule, which is not read or, if the copy has completed
// its reads, not written.
void ProtocolReplay::run_partial(RecordedAgentId copy) {
  const RecordedAgent& self = agent(copy);
  if (!record_.is_partial(self)) return;
  const EventId p = position_[copy], writes = record_.write_begin(self);
  const auto go_on = [&](Started state, EventId from, EventId to) {
    if (is_started_[copy] >= state) return;
    set_started(copy, state);
    if (from >= to) return;
    for (const EventId e : IdRange(from, to))
      if (event(e).act == Act::signal) add(event(e).cell(), record_.but_a_granule(event(e)));
    if (stretches_ == nullptr) return;
    stretches_->push_back(
        {copy, p, p,
         state == partial_reads ? EventRange::Partial::reads : EventRange::Partial::writes});
  };
  go_on(partial_reads, p, writes);
  if (is_next_to_land(copy)) go_on(partial_writes, writes, self.end);
}

void ProtocolReplay::run_copies_of(RecordedAgentId core) {
  if (flushed_[core] == fork_) return;
  flushed_[core] = fork_;
  ++epoch_;
  for (const RecordedAgentId copy : in_flight_[core]) run_copy(copy);
}

// Advances a core until `end`, a wait that blocks, or the cell has the amount. Returns true if the
// core advanced.
bool ProtocolReplay::run_core(RecordedAgentId core, EventId end, CellId cell, std::int64_t amount) {
  end = std::min(end, end_of(core));
  const EventId from = position_[core];
  EventId p = from;
  const auto is_met = [&] { return cell && count_[cell] >= amount; };
  // Stores the position, because a copy starts when its core is after the start.
  EventId published = from;
  const auto publish = [&] {
    if (p > published) set_position(core, p);
    published = p;
  };
  for (bool is_done = false; p < end && !is_done;) {
    const RecordedEvent& next = event(p);
    switch (next.act) {
      case Act::none:
      case Act::poll:
      case Act::point:
      case Act::points_end:
        break;
      case Act::access:
        meet(p);
        break;
      case Act::signal:
        add(next.cell(), next.amount);
        // Do not stop in the middle of a step.
        is_done = is_met() && (p + 1 == end || event(p + 1).step != next.step);
        break;
      case Act::wait:
      case Act::await:
        if (count_[next.cell()] < next.amount) {
          publish();
          return p > from;
        }
        if (next.act == Act::wait) add(next.cell(), -next.amount);
        break;
      case Act::start:
        ++p;
        publish();
        start(next.copy());
        is_done = is_met();
        continue;
    }
    ++p;
  }
  publish();
  return p > from;
}

// Pushes a core that may still signal the cell, or completes its copies in flight. Returns false if
// there is none.
bool ProtocolReplay::push_signaller(CellId cell, std::int64_t amount) {
  for (const SignalTable::Entry& entry : signals_.of(cell)) {
    const bool is_waiting = flushed_[entry.core] != fork_ && has_copies_in_flight(entry.core);
    const EventId end = std::min(entry.end, end_of(entry.core));
    if (is_waiting) {
      run_copies_of(entry.core);
      return true;
    }
    if (position_[entry.core] >= end || is_on_stack_[entry.core] != 0 ||
        dead_[entry.core] == epoch_)
      continue;
    frames_.push_back({entry.core, end, cell, amount});
    is_on_stack_[entry.core] = 1;
    return true;
  }
  return false;
}

void ProtocolReplay::advance(RecordedAgentId core, EventId end) {
  run_copies_of(core);
  frames_.push_back({core, end, CellId(), 0});
  is_on_stack_[core] = 1;
  while (!frames_.empty()) {
    const Frame top = frames_.back();
    bool is_over = top.cell && count_[top.cell] >= top.amount;
    if (!is_over) {
      if (run_core(top.core, top.end, top.cell, top.amount)) ++epoch_;
      const EventId p = position_[top.core];
      is_over =
          p >= std::min(top.end, end_of(top.core)) || (top.cell && count_[top.cell] >= top.amount);
      if (!is_over) {
        const RecordedEvent& wait = event(p);
        if (push_signaller(wait.cell(), wait.amount)) continue;
        dead_[top.core] = epoch_;
        is_over = true;
      }
    }
    is_on_stack_[top.core] = 0;
    frames_.pop_back();
  }
}

void ProtocolReplay::advance_all() {
  waiters_.assign(record_.cells.size(), {});
  for (const RecordedAgentId core : record_.core_ids()) open_.push_back(core);
  std::reverse(open_.begin(), open_.end());
  for (const RecordedAgentId core : record_.core_ids()) run_copies_of(core);
  drain();
}

void ProtocolReplay::hold_later(RecordedAgentId core, EventId e) {
  for (Held& held : held_)
    if (held.agent == core) held.event = e;
  open_.push_back(core);
  drain();
}

void ProtocolReplay::drain() {
  is_draining_ = true;
  while (!open_.empty()) {
    const RecordedAgentId core = open_.back();
    open_.pop_back();
    run_core(core, agent(core).end, CellId(), 0);
    const EventId p = position_[core];
    if (p < end_of(core)) waiters_[event(p).cell()].push_back(core);
  }
  is_draining_ = false;
}

}  // namespace tessera
