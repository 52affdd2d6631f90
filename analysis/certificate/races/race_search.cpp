#include "analysis/certificate/races/race_search.h"

#include <algorithm>

#include "core/report/stop.h"

namespace tessera {

// For long records, the signal table is built concurrently with the conflicts.
RaceSearchContext::RaceSearchContext(const Record& of, SearchMode how)
    : RaceSearchContext(of, how,
                        std::async(is_long(of) ? std::launch::async | std::launch::deferred
                                               : std::launch::deferred,
                                   [&] { return SignalTable(of); })) {}

RaceSearchContext::RaceSearchContext(const Record& of, SearchMode how,
                                     std::future<SignalTable> table)
    : record(of), mode(how), conflicts(of), signals(table.get()), run_positions(of.events.size()) {
  for (std::size_t i = 0; i < record.order.size(); ++i)
    run_positions[record.order[i]] = static_cast<std::int32_t>(i);
}

Sweep& RaceSearchContext::sweep() {
  if (!sweep_) sweep_.emplace(record, conflicts, run_positions);
  return *sweep_;
}

std::int64_t RaceSearchContext::cost_of_suspects() {
  const std::lock_guard lock(mutex_);
  return sweep().cost();
}

const Table<EventId, Suspicion>& RaceSearchContext::suspects() {
  const std::lock_guard lock(mutex_);
  if (!suspects_) suspects_ = sweep().suspects();
  return *suspects_;
}

RaceSearch::RaceSearch(RaceSearchContext& context, std::size_t max_races, std::int32_t partition,
                       std::int32_t partitions, std::int32_t blocked)
    : context_(context),
      record_(context.record),
      partition_(partition),
      partitions_(partitions),
      blocked_(blocked),
      replay_(record_, context.signals),
      watch_(record_, context.conflicts),
      covered_(record_.agents.size(), EventId(0)),
      end_(record_.core_ids().size(), EventId(0)),
      found_(record_, context.conflicts, context.run_positions, max_races) {
  const auto events = static_cast<std::int64_t>(record_.events.size());
  sweep_threshold_ = 2 * events;
  truncation_threshold_ = 16 * events + 1'000'000;
}

void RaceSearch::run() {
  if (context_.mode == SearchMode::swept) suspects_ = &context_.suspects();
  for (const EventId e : record_.order) {
    if (replay_.events_done() > sweep_threshold_) consider_sweep();
    if (!is_truncated_ && replay_.events_done() > truncation_threshold_)
      is_truncated_ = found_.is_full();
    const RecordedEvent& event = record_.events[e];
    if (event.act == Act::access && e >= covered_[event.agent] && blocks(event.agent)) segment(e);
    replay_.apply(e);
  }
}

// The cost of a sweep is known only after its preparation.
void RaceSearch::consider_sweep() {
  if (context_.mode != SearchMode::adaptive || suspects_ != nullptr) return;
  sweep_threshold_ = context_.cost_of_suspects();
  if (replay_.events_done() > sweep_threshold_) suspects_ = &context_.suspects();
}

// Accesses without synchronisation between them share one fork.
void RaceSearch::segment(EventId first) {
  leave_if_stopped();
  const RecordedAgentId agent = record_.events[first].agent;
  const EventId end = record_.agents[agent].end;
  EventId e = first;
  accesses_.clear();
  for (; e < end; ++e) {
    const RecordedEvent& event = record_.events[e];
    if (event.act != Act::access && event.act != Act::none && event.act != Act::poll) break;
    // Additions are searched even then: an unordered sum may break condition C3, on which the races
    // depend.
    if (is_truncated_ && event.access != AccessKind::accumulate) continue;
    if (event.act != Act::access || !is_suspect(e) || is_known_sum(e)) continue;
    if (has_partners(e)) accesses_.push_back(e);
  }
  covered_[agent] = e;
  if (!accesses_.empty()) fork(agent, first);
  for (const RecordedAgentId core : cores_to_advance_) end_[core] = EventId(0);
  cores_to_advance_.clear();
}

// True if another agent can still reach a conflicting access. Notes these agents and their ends.
bool RaceSearch::has_partners(EventId x) {
  const RecordedEvent& event = record_.events[x];
  const RecordedAgentId self = record_.agents[event.agent].issuer;
  const bool is_core = record_.is_core(event.agent);
  constexpr EventId none(0);  // position before all events
  // Returns the end up to which this user may reach such an access, or none.
  const auto comes_to = [&](const Conflicts::User& user) {
    const EventId end = event.access == AccessKind::read ? user.end_of_changes : user.end_of_any;
    const bool is_own_core = is_core && user.core == self;
    if (end == none || (is_own_core && !user.has_copies)) return none;
    if (replay_.has_copies_in_flight(user.core)) return end;
    return is_own_core || replay_.position(user.core) >= end ? none : end;
  };
  bool any = false;
  context_.conflicts.walk(
      event.range(),
      [&](RangeNodeId node) {
        for (const Conflicts::User& user : context_.conflicts.users(node))
          if (comes_to(user) > (any ? end_[user.core] : none)) return false;
        return true;
      },
      [&](RangeNodeId node) {
        for (const Conflicts::User& user : context_.conflicts.users(node)) {
          const EventId end = comes_to(user);
          if (end == none) continue;
          any = true;
          if (end_[user.core] == none) cores_to_advance_.push_back(user.core);
          end_[user.core] = std::max(end_[user.core], end);
        }
        return false;
      });
  return any;
}

void RaceSearch::fork(RecordedAgentId agent, EventId first) {
  ++forks_;
  watch_.clear();
  for (const EventId x : accesses_) watch_.add(record_.events[x].range());
  replay_.watch(&watch_);
  replay_.hold(agent, first);
  if (context_.mode == SearchMode::exhaustive) {
    replay_.advance_all();
  } else {
    for (const RecordedAgentId core : cores_to_advance_) replay_.advance(core, end_[core]);
  }
  // A pair in which y came first in the run is found when y is blocked.
  found_.add_pairs(accesses_, replay_.hits());
  replay_.undo();
}

}  // namespace tessera
