#include "interp/certificate/races/net.h"

#include <algorithm>

#include "core/report/check.h"

namespace tessera {

Net::Net(const Record& record, const SignalTable& signals)
    : record_(record),
      signals_(signals),
      count_(record.cells.size()),
      is_started_(record.agents.size()),
      after_(record.agents.size(), -1),
      in_flight_(at(record.cores())),
      in_flight_at_(record.agents.size()),
      is_on_stack_(at(record.cores())),
      dead_(at(record.cores())),
      flushed_(at(record.cores())) {
  for (std::size_t a = 0; a < record.agents.size(); ++a) {
    position_.push_back(record.agents[a].begin);
    if (record.agents[a].before >= 0)
      after_[at(record.agents[a].before)] = static_cast<std::int32_t>(a);
  }
}

std::int32_t Net::end_of(std::int32_t a) const {
  for (const Held& held : held_)
    if (held.agent == a) return held.event;
  return agent(a).end;
}

void Net::apply(std::int32_t e) {
  const RecordedEvent& done = event(e);
  CHECK(position_[at(done.agent)] == e);
  ++position_[at(done.agent)];
  switch (done.act) {
    case Act::signal:
      count_[at(done.object)] += done.amount;
      break;
    case Act::wait:
      count_[at(done.object)] -= done.amount;
      break;
    case Act::start:
      is_started_[at(done.object)] = started;
      // A copy that the run never moved has nothing to do.
      if (agent(done.object).begin < agent(done.object).end) {
        in_flight_at_[at(done.object)] =
            static_cast<std::int32_t>(in_flight_[at(done.agent)].size());
        in_flight_[at(done.agent)].push_back(done.object);
      }
      break;
    default:
      break;
  }
  if (record_.is_core(done.agent) || agent(done.agent).end != e + 1) return;
  std::vector<std::int32_t>& copies = in_flight_[at(agent(done.agent).issuer)];
  const std::int32_t free = in_flight_at_[at(done.agent)];
  copies[at(free)] = copies.back();
  in_flight_at_[at(copies.back())] = free;
  copies.pop_back();
}

void Net::hold(std::int32_t a, std::int32_t e) {
  Held& held = held_[held_[0].agent < 0 ? 0 : 1];
  CHECK(held.agent < 0);
  held = {a, e};
}

void Net::undo() {
  for (; !changes_.empty(); changes_.pop_back()) {
    const Change& change = changes_.back();
    if (change.what == What::position)
      position_[at(change.index)] = static_cast<std::int32_t>(change.old);
    else if (change.what == What::count)
      count_[at(change.index)] = change.old;
    else
      is_started_[at(change.index)] = static_cast<std::uint8_t>(change.old);
  }
  held_[0] = held_[1] = {};
  ++fork_;
  ++epoch_;
}

void Net::add(std::int32_t cell, std::int64_t amount) {
  changes_.push_back({What::count, cell, count_[at(cell)]});
  count_[at(cell)] += amount;
  if (!is_draining_ || amount < 0) return;
  std::vector<std::int32_t>& woken = waiters_[at(cell)];
  open_.insert(open_.end(), woken.begin(), woken.end());
  woken.clear();
}

void Net::set_position(std::int32_t a, std::int32_t to) {
  const std::int32_t from = position_[at(a)];
  changes_.push_back({What::position, a, from});
  position_[at(a)] = to;
  events_done_ += to - from;
  if (stretches_ != nullptr) stretches_->push_back({.agent = a, .from = from, .to = to});
}

void Net::set_started(std::int32_t copy, Started state) {
  changes_.push_back({What::started, copy, is_started_[at(copy)]});
  is_started_[at(copy)] = state;
}

void Net::start(std::int32_t copy) {
  set_started(copy, started);
  run_copy(copy);
}

// Whether the copy before it in its lane, if it has one, has landed.
bool Net::is_next_to_land(std::int32_t copy) const {
  const std::int32_t before = agent(copy).before;
  return before < 0 || position_[at(before)] == agent(before).end;
}

void Net::run_copy(std::int32_t copy) {
  for (; copy >= 0 && is_started_[at(copy)] != not_started; copy = after_[at(copy)]) {
    const RecordedAgent& self = agent(copy);
    std::int32_t p = position_[at(copy)];
    const std::int32_t held = end_of(copy);
    const std::int32_t end =
        is_next_to_land(copy) ? held : std::min(held, record_.write_begin(self));
    if (p < end) {
      for (; p < end; ++p) {
        const RecordedEvent& next = event(p);
        if (next.act == Act::access) meet(p);
        if (next.act == Act::signal) add(next.object, next.amount);
      }
      set_position(copy, p);
    }
    if (p == held && held != self.end) run_partial(copy);
    if (p != self.end) return;
  }
}

// Of a copy that is held all goes on but one granule, which is not read or, when the copy stands
// behind its reading, not written.
void Net::run_partial(std::int32_t copy) {
  const RecordedAgent& self = agent(copy);
  if (!record_.is_partial(self)) return;
  const std::int32_t p = position_[at(copy)], writes = record_.write_begin(self);
  const auto go_on = [&](Started state, std::int32_t from, std::int32_t to) {
    if (is_started_[at(copy)] >= state) return;
    set_started(copy, state);
    if (from >= to) return;
    for (std::int32_t e = from; e < to; ++e)
      if (event(e).act == Act::signal) add(event(e).object, record_.but_a_granule(event(e)));
    if (stretches_ == nullptr) return;
    stretches_->push_back(
        {copy, p, p, state == partial_reads ? Stretch::Partial::reads : Stretch::Partial::writes});
  };
  go_on(partial_reads, p, writes);
  if (is_next_to_land(copy)) go_on(partial_writes, writes, self.end);
}

void Net::run_copies_of(std::int32_t core) {
  if (flushed_[at(core)] == fork_) return;
  flushed_[at(core)] = fork_;
  ++epoch_;
  for (const std::int32_t copy : in_flight_[at(core)]) run_copy(copy);
}

// Until `end`, a wait that cannot pass, or the cell has the amount. Whether it moved.
bool Net::run_core(std::int32_t core, std::int32_t end, std::int32_t cell, std::int64_t amount) {
  end = std::min(end, end_of(core));
  const std::int32_t from = position_[at(core)];
  std::int32_t p = from;
  const auto is_met = [&] { return cell >= 0 && count_[at(cell)] >= amount; };
  // A copy is started by a core that stands behind its start.
  std::int32_t published = from;
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
        add(next.object, next.amount);
        // Not in the middle of a step.
        is_done = is_met() && (p + 1 == end || event(p + 1).step != next.step);
        break;
      case Act::wait:
      case Act::await:
        if (count_[at(next.object)] < next.amount) {
          publish();
          return p > from;
        }
        if (next.act == Act::wait) add(next.object, -next.amount);
        break;
      case Act::start:
        ++p;
        publish();
        start(next.object);
        is_done = is_met();
        continue;
    }
    ++p;
  }
  publish();
  return p > from;
}

// Puts a core on the stack that may still signal the cell. False: there is none.
bool Net::push_signaller(std::int32_t cell, std::int64_t amount) {
  for (const SignalTable::Entry& entry : signals_.of(cell)) {
    const bool is_waiting = flushed_[at(entry.core)] != fork_ && has_copies_in_flight(entry.core);
    const std::int32_t end = std::min(entry.end, end_of(entry.core));
    if (is_waiting) {
      run_copies_of(entry.core);
      return true;
    }
    if (position_[at(entry.core)] >= end || is_on_stack_[at(entry.core)] != 0 ||
        dead_[at(entry.core)] == epoch_)
      continue;
    frames_.push_back({entry.core, end, cell, amount});
    is_on_stack_[at(entry.core)] = 1;
    return true;
  }
  return false;
}

void Net::advance(std::int32_t core, std::int32_t end) {
  run_copies_of(core);
  frames_.push_back({core, end, -1, 0});
  is_on_stack_[at(core)] = 1;
  while (!frames_.empty()) {
    const Frame top = frames_.back();
    bool is_over = top.cell >= 0 && count_[at(top.cell)] >= top.amount;
    if (!is_over) {
      if (run_core(top.core, top.end, top.cell, top.amount)) ++epoch_;
      const std::int32_t p = position_[at(top.core)];
      is_over = p >= std::min(top.end, end_of(top.core)) ||
                (top.cell >= 0 && count_[at(top.cell)] >= top.amount);
      if (!is_over) {
        const RecordedEvent& wait = event(p);
        if (push_signaller(wait.object, wait.amount)) continue;
        dead_[at(top.core)] = epoch_;
        is_over = true;
      }
    }
    is_on_stack_[at(top.core)] = 0;
    frames_.pop_back();
  }
}

void Net::advance_all() {
  waiters_.assign(record_.cells.size(), {});
  for (std::int32_t core = record_.cores(); core-- > 0;) open_.push_back(core);
  for (std::int32_t core = 0; core < record_.cores(); ++core) run_copies_of(core);
  drain();
}

void Net::hold_later(std::int32_t core, std::int32_t e) {
  for (Held& held : held_)
    if (held.agent == core) held.event = e;
  open_.push_back(core);
  drain();
}

void Net::drain() {
  is_draining_ = true;
  while (!open_.empty()) {
    const std::int32_t core = open_.back();
    open_.pop_back();
    run_core(core, agent(core).end, -1, 0);
    const std::int32_t p = position_[at(core)];
    if (p < end_of(core)) waiters_[at(event(p).object)].push_back(core);
  }
  is_draining_ = false;
}

}  // namespace tessera
