#include "interp/certificate/points/point_needs.h"

#include <set>
#include <tuple>

namespace tessera {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// The counts of a record, played again; copies do their part when they start. Some threads are held
// back, and everything since mark() can be undone.
class Play {
 public:
  explicit Play(const Record& record)
      : record_(record), counts_(record.cells.size()), is_held_(at(record.cores())) {
    waiters_.resize(record.cells.size());
    for (std::int32_t t = 0; t < record.cores(); ++t) {
      const RecordedAgent& thread = record.agents[at(t)];
      position_.push_back(thread.begin);
      for (std::int32_t e = thread.begin; e < thread.end; ++e) {
        std::vector<std::int32_t>* waiters = nullptr;
        if (is_wait(event(e))) waiters = &waiters_[at(event(e).object)];
        if (waiters != nullptr && (waiters->empty() || waiters->back() != t)) waiters->push_back(t);
      }
    }
  }

  void hold(std::int32_t thread, bool is_held) { is_held_[at(thread)] = is_held; }
  void run_all() {
    for (std::int32_t t = 0; t < record_.cores(); ++t) ready_.push_back(t);
    drain();
  }
  void run(std::int32_t thread) {
    ready_.push_back(thread);
    drain();
  }
  bool is_done(std::int32_t thread) const {
    return position_[at(thread)] == record_.agents[at(thread)].end;
  }
  std::int32_t position(std::int32_t thread) const { return position_[at(thread)]; }
  void mark() { changes_.clear(); }
  void undo() {
    for (; !changes_.empty(); changes_.pop_back()) {
      const auto& [is_count, index, old] = changes_.back();
      if (is_count)
        counts_[at(index)] = old;
      else
        position_[at(index)] = static_cast<std::int32_t>(old);
    }
  }

 private:
  static bool is_wait(const RecordedEvent& e) { return e.act == Act::wait || e.act == Act::await; }
  const RecordedEvent& event(std::int32_t e) const { return record_.events[at(e)]; }

  void add(std::int32_t cell, std::int64_t amount) {
    changes_.emplace_back(true, cell, counts_[at(cell)]);
    counts_[at(cell)] += amount;
    if (amount <= 0) return;
    for (const std::int32_t t : waiters_[at(cell)]) {
      const std::int32_t p = position_[at(t)];
      if (p < record_.agents[at(t)].end && is_wait(event(p)) && event(p).object == cell)
        ready_.push_back(t);
    }
  }

  void drain() {
    while (!ready_.empty()) {
      const std::int32_t t = ready_.back();
      ready_.pop_back();
      if (!is_held_[at(t)]) step(t);
    }
  }

  void step(std::int32_t t) {
    const std::int32_t from = position_[at(t)], end = record_.agents[at(t)].end;
    std::int32_t p = from;
    for (; p < end; ++p) {
      const RecordedEvent& next = event(p);
      if (is_wait(next) && counts_[at(next.object)] < next.amount) break;
      if (next.act == Act::wait) add(next.object, -next.amount);
      if (next.act == Act::signal) add(next.object, next.amount);
      if (next.act != Act::start) continue;
      const RecordedAgent& copy = record_.agents[at(next.object)];
      for (std::int32_t e = copy.begin; e < copy.end; ++e)
        if (event(e).act == Act::signal) add(event(e).object, event(e).amount);
    }
    if (p == from) return;
    changes_.emplace_back(false, t, from);
    position_[at(t)] = p;
  }

  const Record& record_;
  std::vector<std::int64_t> counts_;
  std::vector<bool> is_held_;
  std::vector<std::int32_t> position_;
  std::vector<std::vector<std::int32_t>> waiters_;  // by cell: threads that wait for it somewhere
  std::vector<std::int32_t> ready_;
  std::vector<std::tuple<bool, std::int32_t, std::int64_t>> changes_;  // of a count or a position
};

class Needs {
 public:
  Needs(const PointThreads& threads, std::size_t most)
      : threads_(threads), record_(threads.record), most_(most) {}

  // Each point must be able to come first, with none of the others of its loops begun, in whatever
  // order other cores take theirs.
  std::vector<PointNeed> run() {
    loop_of_thread_.assign(at(record_.cores()), -1);
    for (std::size_t l = 0; l < threads_.loops.size(); ++l)
      for (const std::int32_t t : threads_.loops[l].threads)
        loop_of_thread_[at(t)] = static_cast<std::int32_t>(l);
    for (std::int32_t number = 0; number < static_cast<std::int32_t>(threads_.loops.size());
         ++number) {
      const PointThreads::Loop& loop = threads_.loops[at(number)];
      Play play(record_);
      hold_others(play, loop, -1);
      play.run_all();
      for (const std::int32_t t : loop.threads) {
        if (needs_.size() == most_) return std::move(needs_);
        play.mark();
        play.hold(t, false);
        play.run(t);
        if (!play.is_done(t))
          needs_.push_back({number, t, play.position(t), false});
        else if (const std::int32_t wait = stuck_behind_others(loop, t); wait >= 0)
          needs_.push_back({number, t, wait, true});
        play.hold(t, true);
        play.undo();
      }
    }
    return std::move(needs_);
  }

 private:
  const RecordedEvent& event(std::int32_t e) const { return record_.events[at(e)]; }
  std::int32_t thread(std::int32_t agent) const { return record_.agents[at(agent)].issuer; }
  bool is_point(std::int32_t t) const { return !threads_.names[at(t)].empty(); }

  // The points of a loop but one, and of the loops around it those it is not in.
  void hold_others(Play& play, const PointThreads::Loop& loop, std::int32_t but) const {
    for (const std::int32_t t : loop.threads) play.hold(t, t != but);
    for (std::int32_t t = loop.parent; loop_of_thread_[at(t)] >= 0;) {
      const PointThreads::Loop& around = threads_.loops[at(loop_of_thread_[at(t)])];
      for (const std::int32_t other : around.threads) play.hold(other, other != t);
      t = around.parent;
    }
  }

  // Where a point that comes first stops at a wait when cores that have one engine take points that
  // cannot end before others of their loop; -1: nowhere.
  std::int32_t stuck_behind_others(const PointThreads::Loop& loop, std::int32_t t) {
    if (!waits_for_others(t)) return -1;
    std::set<std::int32_t> late;  // threads that come behind one that is stuck
    for (;;) {
      Play play(record_);
      hold_others(play, loop, t);
      for (const std::int32_t other : late) play.hold(other, true);
      play.run_all();
      if (!play.is_done(t)) return play.position(t);
      const std::size_t before = late.size();
      for (const PointThreads::Loop& other : threads_.loops) {
        std::vector<std::int32_t> stuck;
        for (const std::int32_t p : other.threads)
          if (play.position(p) > record_.agents[at(p)].begin && !play.is_done(p))
            stuck.push_back(p);
        if (stuck.empty() || is_around(other, t)) continue;
        // Of several either may be the one; one alone does what it can before the others.
        for (const std::int32_t p : other.threads)
          if (stuck.size() > 1 || p != stuck.front()) late.insert(p);
      }
      if (late.size() == before) return -1;
    }
  }
  bool is_around(const PointThreads::Loop& loop, std::int32_t t) const {
    for (; loop_of_thread_[at(t)] >= 0; t = threads_.loops[at(loop_of_thread_[at(t)])].parent)
      if (&threads_.loops[at(loop_of_thread_[at(t)])] == &loop) return true;
    return false;
  }
  // Whether another thread, or a copy of one, counts on a cell that this one waits for.
  bool waits_for_others(std::int32_t t) {
    if (waited_from_outside_.empty()) {
      waited_from_outside_.resize(at(record_.cores()));
      std::vector<std::int32_t> by(record_.cells.size(), -1);  // the only thread that signals
      constexpr std::int32_t several = -2;
      for (const std::int32_t e : record_.order) {
        if (event(e).act != Act::signal) continue;
        std::int32_t& only = by[at(event(e).object)];
        const std::int32_t from = thread(event(e).agent);
        only = only == -1 || only == from ? from : several;
      }
      for (const std::int32_t e : record_.order) {
        const RecordedEvent& self = event(e);
        const bool is_wait = self.act == Act::wait || self.act == Act::await;
        if (!is_wait || self.statement < 0 || !record_.is_core(self.agent)) continue;
        // What a point waits for first of all is that its loop begins.
        if (is_point(self.agent) && e == record_.agents[at(self.agent)].begin) continue;
        if (by[at(self.object)] != self.agent) waited_from_outside_[at(self.agent)] = true;
      }
    }
    return waited_from_outside_[at(t)];
  }

  const PointThreads& threads_;
  const Record& record_;
  const std::size_t most_;
  std::vector<PointNeed> needs_;
  std::vector<std::int32_t> loop_of_thread_;  // -1: of a core
  std::vector<bool> waited_from_outside_;     // by thread
};

}  // namespace

std::vector<PointNeed> point_needs(const PointThreads& threads, std::size_t most) {
  return Needs(threads, most).run();
}

}  // namespace tessera
