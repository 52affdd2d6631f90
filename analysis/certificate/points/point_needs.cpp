#include "analysis/certificate/points/point_needs.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "analysis/certificate/races/undo_table.h"

namespace tessera {
namespace {

// Replays the counts of a record. Copies act when they start. Threads can be blocked, and
// everything since mark() can be undone.
class Play {
 public:
  explicit Play(const Record& record) : record_(record), is_held_(record.core_ids().size()) {
    counts_.assign(record.cells.size(), 0, true);
    events_done_.assign(record.core_ids().size(), 0, true);
    waiters_.resize(record.cells.size());
    for (const RecordedAgentId t : record.core_ids()) {
      const RecordedAgent& thread = record.agents[t];
      for (const EventId e : thread.events()) {
        std::vector<RecordedAgentId>* waiters = nullptr;
        if (is_wait(event(e))) waiters = &waiters_[event(e).cell()];
        if (waiters != nullptr && (waiters->empty() || waiters->back() != t)) waiters->push_back(t);
      }
    }
  }

  void hold(RecordedAgentId thread, bool is_held) { is_held_[thread] = is_held; }
  // Undoes all events and releases all threads.
  void restart() {
    counts_.undo(0);
    events_done_.undo(0);
    is_held_.assign(is_held_.size(), false);
  }
  void run_all() {
    for (const RecordedAgentId t : record_.core_ids()) ready_.push_back(t);
    drain();
  }
  void run(RecordedAgentId thread) {
    ready_.push_back(thread);
    drain();
  }
  bool is_done(RecordedAgentId thread) const {
    return position(thread) == record_.agents[thread].end;
  }
  // True if the thread has begun and is blocked.
  bool is_stuck(RecordedAgentId thread) const {
    return events_done_[thread] > 0 && !is_done(thread);
  }
  EventId position(RecordedAgentId thread) const {
    return record_.agents[thread].begin + events_done_[thread];
  }
  // Threads that advanced since the mark; may contain duplicates.
  std::span<const std::pair<RecordedAgentId, std::int32_t>> moved() const {
    return events_done_.changes(position_mark_);
  }
  void mark() {
    count_mark_ = counts_.mark();
    position_mark_ = events_done_.mark();
  }
  void undo() {
    counts_.undo(count_mark_);
    events_done_.undo(position_mark_);
  }

 private:
  static bool is_wait(const RecordedEvent& e) { return e.act == Act::wait || e.act == Act::await; }
  const RecordedEvent& event(EventId e) const { return record_.events[e]; }

  void add(CellId cell, std::int64_t amount) {
    counts_.set(cell, counts_[cell] + amount);
    if (amount <= 0) return;
    for (const RecordedAgentId t : waiters_[cell]) {
      const EventId p = position(t);
      if (p < record_.agents[t].end && is_wait(event(p)) && event(p).cell() == cell)
        ready_.push_back(t);
    }
  }

  void drain() {
    while (!ready_.empty()) {
      const RecordedAgentId t = ready_.back();
      ready_.pop_back();
      if (!is_held_[t]) step(t);
    }
  }

  void step(RecordedAgentId t) {
    const EventId from = position(t), end = record_.agents[t].end;
    EventId p = from;
    for (; p < end; ++p) {
      const RecordedEvent& next = event(p);
      if (is_wait(next) && counts_[next.cell()] < next.amount) break;
      if (next.act == Act::wait) add(next.cell(), -next.amount);
      if (next.act == Act::signal) add(next.cell(), next.amount);
      if (next.act != Act::start) continue;
      const RecordedAgent& copy = record_.agents[next.copy()];
      for (const EventId e : copy.events())
        if (event(e).act == Act::signal) add(event(e).cell(), event(e).amount);
    }
    if (p > from) events_done_.set(t, p - record_.agents[t].begin);
  }

  const Record& record_;
  UndoTable<CellId, std::int64_t> counts_;
  Table<RecordedAgentId, bool> is_held_;
  UndoTable<RecordedAgentId, std::int32_t> events_done_;
  // Threads that wait for the cell at some time.
  Table<CellId, std::vector<RecordedAgentId>> waiters_;
  std::vector<RecordedAgentId> ready_;
  std::size_t count_mark_ = 0, position_mark_ = 0;
};

class Needs {
 public:
  Needs(const PointThreads& threads, std::size_t most)
      : threads_(threads), record_(threads.record), max_(most) {}

  // Each iteration must be able to run first, before the other iterations of its loops, in any
  // order of the iterations on other cores. Returns the iterations that cannot.
  std::vector<PointNeed> run() {
    loop_of_thread_.resize(record_.core_ids().size());
    for (const LoopRunId run : threads_.loops.ids())
      for (const RecordedAgentId t : threads_.loops[run].threads) loop_of_thread_[t] = run;
    Play play(record_);
    const LoopRun* before = nullptr;  // the loop with blocked iterations
    for (const LoopRunId number : threads_.loops.ids()) {
      const LoopRun& loop = threads_.loops[number];
      const bool follows =
          before != nullptr && loop.parent == before->parent && !is_point(loop.parent);
      if (follows)
        hold_next(play, *before, loop);
      else
        hold_first(play, loop);
      before = &loop;
      try_each_first(play, number);
      if (needs_.size() == max_) break;
    }
    return std::move(needs_);
  }

 private:
  void hold_first(Play& play, const LoopRun& loop) const {
    play.restart();
    hold_others(play, loop, RecordedAgentId());
    play.run_all();
  }
  // The second loop of a core begins after the first has ended, so the state before the first is
  // part of the state before the second.
  void hold_next(Play& play, const LoopRun& first, const LoopRun& second) const {
    for (const RecordedAgentId t : first.threads) play.hold(t, false);
    for (const RecordedAgentId t : second.threads) play.hold(t, true);
    for (const RecordedAgentId t : first.threads) play.run(t);
  }

  // Requires that all iterations of the loop are blocked.
  void try_each_first(Play& play, LoopRunId number) {
    const LoopRun& loop = threads_.loops[number];
    std::optional<std::vector<RecordedAgentId>> stuck;
    for (const RecordedAgentId t : loop.threads) {
      if (needs_.size() == max_) return;
      play.mark();
      play.hold(t, false);
      play.run(t);
      if (!play.is_done(t))
        needs_.push_back({number, t, play.position(t), false});
      else if (const EventId wait = stuck_behind_others(loop, t, play, stuck))
        needs_.push_back({number, t, wait, true});
      play.hold(t, true);
      play.undo();
    }
  }

  const RecordedEvent& event(EventId e) const { return record_.events[e]; }
  RecordedAgentId thread(RecordedAgentId agent) const { return record_.agents[agent].issuer; }
  bool is_point(RecordedAgentId t) const { return !threads_.names[t].empty(); }

  // Blocks all iterations of a loop except `but`. In the loops around it, blocks all iterations
  // except those that contain it.
  void hold_others(Play& play, const LoopRun& loop, RecordedAgentId but) const {
    for (const RecordedAgentId t : loop.threads) play.hold(t, t != but);
    for (RecordedAgentId t = loop.parent; loop_of_thread_[t];) {
      const LoopRun& around = threads_.loops[loop_of_thread_[t]];
      for (const RecordedAgentId other : around.threads) play.hold(other, other != t);
      t = around.parent;
    }
  }

  // True if an iteration of a loop that does not contain t is blocked. before: at least the threads
  // that were blocked when t began; set by the first call.
  bool is_another_stuck(const Play& play, RecordedAgentId t,
                        std::optional<std::vector<RecordedAgentId>>& before) const {
    const auto is_stuck = [&](RecordedAgentId p) {
      const LoopRunId loop = loop_of_thread_[p];
      return loop && play.is_stuck(p) && !is_around(threads_.loops[loop], t);
    };
    const auto moved = play.moved();
    if (!before) {
      before.emplace();
      for (const RecordedAgentId p : record_.core_ids())
        if (play.is_stuck(p)) before->push_back(p);
      for (const auto& [p, position] : moved) before->push_back(p);
    }
    return std::any_of(before->begin(), before->end(), is_stuck) ||
           std::any_of(moved.begin(), moved.end(),
                       [&](const auto& change) { return is_stuck(change.first); });
  }

  // Returns the wait at which t is blocked if cores without loop workers first take iterations that
  // cannot end before others of their loop. Empty if t is not blocked then. first: replay in which
  // t ran first and ended.
  EventId stuck_behind_others(const LoopRun& loop, RecordedAgentId t, const Play& first,
                              std::optional<std::vector<RecordedAgentId>>& stuck_before) {
    if (!waits_for_others(t) || !is_another_stuck(first, t, stuck_before)) return {};
    std::set<RecordedAgentId> late;  // threads that come after a blocked one
    for (;;) {
      Play play(record_);
      hold_others(play, loop, t);
      for (const RecordedAgentId other : late) play.hold(other, true);
      play.run_all();
      if (!play.is_done(t)) return play.position(t);
      const std::size_t before = late.size();
      for (const LoopRun& other : threads_.loops) {
        std::vector<RecordedAgentId> stuck;
        for (const RecordedAgentId p : other.threads)
          if (play.is_stuck(p)) stuck.push_back(p);
        if (stuck.empty() || is_around(other, t)) continue;
        // If several are blocked, each may come first. A single one advances before the others.
        for (const RecordedAgentId p : other.threads)
          if (stuck.size() > 1 || p != stuck.front()) late.insert(p);
      }
      if (late.size() == before) return {};
    }
  }
  bool is_around(const LoopRun& loop, RecordedAgentId t) const {
    for (; loop_of_thread_[t]; t = threads_.loops[loop_of_thread_[t]].parent)
      if (&threads_.loops[loop_of_thread_[t]] == &loop) return true;
    return false;
  }
  // True if another thread, or its copy, signals a cell for which this thread waits.
  bool waits_for_others(RecordedAgentId t) {
    if (waited_from_outside_.empty()) {
      waited_from_outside_.resize(record_.core_ids().size());
      Table<CellId, RecordedAgentId> by(record_.cells.size());  // the only thread that signals
      constexpr RecordedAgentId several(-2);
      for (const EventId e : record_.order) {
        if (event(e).act != Act::signal) continue;
        RecordedAgentId& only = by[event(e).cell()];
        const RecordedAgentId from = thread(event(e).agent);
        only = only == RecordedAgentId() || only == from ? from : several;
      }
      for (const EventId e : record_.order) {
        const RecordedEvent& self = event(e);
        const bool is_wait = self.act == Act::wait || self.act == Act::await;
        if (!is_wait || !self.statement || !record_.is_core(self.agent)) continue;
        // The first event of an iteration waits for the start of its loop.
        if (is_point(self.agent) && e == record_.agents[self.agent].begin) continue;
        if (by[self.cell()] != self.agent) waited_from_outside_[self.agent] = true;
      }
    }
    return waited_from_outside_[t];
  }

  const PointThreads& threads_;
  const Record& record_;
  const std::size_t max_;
  std::vector<PointNeed> needs_;
  Table<RecordedAgentId, LoopRunId> loop_of_thread_;  // none: a core
  Table<RecordedAgentId, bool> waited_from_outside_;  // by thread
};

}  // namespace

std::vector<PointNeed> point_needs(const PointThreads& threads, std::size_t most) {
  return Needs(threads, most).run();
}

}  // namespace tessera
