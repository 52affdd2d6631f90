#include "analysis/certificate/races/forks.h"

#include <algorithm>

#include "core/report/stop.h"

namespace tessera {

// The table of signals is made while the conflicts are, where that takes long.
ForkGround::ForkGround(const Record& of, Reach how)
    : ForkGround(of, how,
                 std::async(is_long(of) ? std::launch::async | std::launch::deferred
                                        : std::launch::deferred,
                            [&] { return SignalTable(of); })) {}

ForkGround::ForkGround(const Record& of, Reach how, std::future<SignalTable> table)
    : record(of), reach(how), conflicts(of), signals(table.get()), turns(of.events.size()) {
  for (std::size_t i = 0; i < record.order.size(); ++i)
    turns[record.order[i]] = static_cast<std::int32_t>(i);
}

Sweep& ForkGround::sweep() {
  if (!sweep_) sweep_.emplace(record, conflicts, turns);
  return *sweep_;
}

std::int64_t ForkGround::cost_of_suspects() {
  const std::lock_guard lock(mutex_);
  return sweep().cost();
}

const Table<EventId, Suspicion>& ForkGround::suspects() {
  const std::lock_guard lock(mutex_);
  if (!suspects_) suspects_ = sweep().suspects();
  return *suspects_;
}

Forks::Forks(ForkGround& ground, std::size_t most, std::int32_t part, std::int32_t parts)
    : ground_(ground),
      record_(ground.record),
      part_(part),
      parts_(parts),
      net_(record_, ground.signals),
      watch_(record_, ground.conflicts),
      covered_(record_.agents.size(), EventId(0)),
      end_(record_.core_ids().size(), EventId(0)),
      found_(record_, ground.conflicts, ground.turns, most) {
  const auto events = static_cast<std::int64_t>(record_.events.size());
  sweep_when_ = 2 * events;
  cut_when_ = 16 * events + 1'000'000;
}

void Forks::run() {
  if (ground_.reach == Reach::swept) suspects_ = &ground_.suspects();
  for (const EventId e : record_.order) {
    if (net_.events_done() > sweep_when_) consider_sweep();
    if (!is_cut_ && net_.events_done() > cut_when_) is_cut_ = found_.is_full();
    const RecordedEvent& event = record_.events[e];
    if (event.act == Act::access && e >= covered_[event.agent] &&
        record_.agents[event.agent].issuer.index % parts_ == part_)
      segment(e);
    net_.apply(e);
  }
}

// What the sweep costs is known only when it is prepared.
void Forks::consider_sweep() {
  if (ground_.reach != Reach::adaptive || suspects_ != nullptr) return;
  sweep_when_ = ground_.cost_of_suspects();
  if (net_.events_done() > sweep_when_) suspects_ = &ground_.suspects();
}

// Accesses with no synchronisation between them share one fork.
void Forks::segment(EventId first) {
  leave_if_stopped();
  const RecordedAgentId agent = record_.events[first].agent;
  const EventId end = record_.agents[agent].end;
  EventId e = first;
  members_.clear();
  for (; e < end; ++e) {
    const RecordedEvent& event = record_.events[e];
    if (event.act != Act::access && event.act != Act::none && event.act != Act::poll) break;
    // Sums in no order may take away the ground that the races found stand on.
    if (is_cut_ && event.access != AccessKind::accumulate) continue;
    if (event.act != Act::access || !is_suspect(e) || is_known_sum(e)) continue;
    if (has_partners(e)) members_.push_back(e);
  }
  covered_[agent] = e;
  if (!members_.empty()) fork(agent, first);
  for (const RecordedAgentId core : roots_) end_[core] = EventId(0);
  roots_.clear();
}

// Whether anybody else can still come to an access that clashes; notes who, and how far they go.
bool Forks::has_partners(EventId x) {
  const RecordedEvent& event = record_.events[x];
  const RecordedAgentId self = record_.agents[event.agent].issuer;
  const bool is_core = record_.is_core(event.agent);
  constexpr EventId none(0);  // an end behind no event
  // Up to where this user may come to one, or none.
  const auto comes_to = [&](const Conflicts::User& user) {
    const EventId end = event.access == AccessKind::read ? user.end_of_changes : user.end_of_any;
    const bool is_own_core = is_core && user.core == self;
    if (end == none || (is_own_core && !user.has_copies)) return none;
    if (net_.has_copies_in_flight(user.core)) return end;
    return is_own_core || net_.position(user.core) >= end ? none : end;
  };
  bool any = false;
  ground_.conflicts.walk(
      event.range(),
      [&](RangeNodeId node) {
        for (const Conflicts::User& user : ground_.conflicts.users(node))
          if (comes_to(user) > (any ? end_[user.core] : none)) return false;
        return true;
      },
      [&](RangeNodeId node) {
        for (const Conflicts::User& user : ground_.conflicts.users(node)) {
          const EventId end = comes_to(user);
          if (end == none) continue;
          any = true;
          if (end_[user.core] == none) roots_.push_back(user.core);
          end_[user.core] = std::max(end_[user.core], end);
        }
        return false;
      });
  return any;
}

void Forks::fork(RecordedAgentId agent, EventId first) {
  ++forks_;
  watch_.clear();
  for (const EventId x : members_) watch_.add(record_.events[x].range());
  net_.watch(&watch_);
  net_.hold(agent, first);
  if (ground_.reach == Reach::full) {
    net_.advance_all();
  } else {
    for (const RecordedAgentId core : roots_) net_.advance(core, end_[core]);
  }
  // A pair in which y was first in the run is found when y is held back.
  found_.add_pairs(members_, net_.hits());
  net_.undo();
}

}  // namespace tessera
