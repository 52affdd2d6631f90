#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "interp/certificate/freeze_one.h"
#include "interp/certificate/point_threads.h"
#include "interp/describe.h"

namespace tessera {
namespace {

constexpr std::size_t most_findings = 20;

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

class Findings {
 public:
  Findings(const PointThreads& threads, const Record& in_sequence)
      : threads_(threads),
        in_sequence_(in_sequence),
        record_(threads.record),
        program_(*record_.program),
        run_of_(at(record_.cores()), -1) {
    for (std::size_t l = 0; l < threads.loops.size(); ++l)
      for (const std::int32_t t : threads.loops[l].threads)
        run_of_[at(t)] = static_cast<std::int32_t>(l);
  }

  std::vector<PointFinding> run() {
    find_races();
    find_shared_waits();
    find_needed_points();
    return std::move(findings_);
  }

 private:
  const RecordedEvent& event(std::int32_t e) const { return record_.events[at(e)]; }
  std::int32_t thread(std::int32_t agent) const { return record_.agents[at(agent)].issuer; }
  bool is_point(std::int32_t t) const { return !threads_.names[at(t)].empty(); }

  // "point i=1 of dev0.core0", "a copy of point i=1 of dev0.core0", "dev1.core0".
  std::string who(std::int32_t agent) const {
    const std::int32_t t = thread(agent);
    if (!is_point(t)) return to_string(record_.agents[at(agent)].id);
    return (agent == t ? "" : "a copy of ") + threads_.names[at(t)];
  }
  FindingPlace place(std::int32_t e, std::string message) const {
    const RecordedAgent& agent = record_.agents[at(event(e).agent)];
    FindingPlace result{
        .message = std::move(message), .device = agent.id.device, .agent = to_string(agent.id)};
    if (event(e).statement >= 0)
      result.loc = program_.loc(program_.body[at(event(e).statement)].place);
    return result;
  }
  void add(Finding finding, std::int32_t e, std::int32_t loop) {
    finding.devices = {finding.at.device};
    finding.notes.push_back(
        {.loc = program_.loc(program_.body[at(loop)].place),
         .message = "why: points of this loop come in any order, also side by side"});
    if (event(e).statement >= 0)
      add_call_chain(program_, program_.body[at(event(e).statement)].place, finding.notes);
    findings_.push_back({std::move(finding), loop});
  }
  // The statement of the loop that a point belongs to.
  std::int32_t loop_of(std::int32_t t) const {
    const std::int32_t run = run_of_[at(t)];
    return run < 0 ? -1 : threads_.loops[at(run)].statement;
  }
  // Whether two threads are in different points of one run of a loop; others are in an order, that
  // of the core which forks and joins them.
  bool are_side_by_side(std::int32_t a, std::int32_t b) const {
    for (; run_of_[at(a)] >= 0; a = threads_.loops[at(run_of_[at(a)])].parent)
      for (std::int32_t t = b; run_of_[at(t)] >= 0; t = threads_.loops[at(run_of_[at(t)])].parent)
        if (run_of_[at(t)] == run_of_[at(a)]) return t != a;
    return false;
  }

  std::string range_text(const Range& range) const {
    if (range.kind == ObjectKind::none) return "the kernel";
    if (range.kind == ObjectKind::semaphore) return program_.semaphores[at(range.object)].name;
    return slice_text(program_, range.object, range.box);
  }
  static std::string_view verb(AccessKind kind) {
    return kind == AccessKind::read         ? "reads"
           : kind == AccessKind::write      ? "stores"
           : kind == AccessKind::accumulate ? "adds to"
                                            : "begins or ends the life of";
  }

  void find_races() {
    for (const Race& race : freeze_one(record_, Reach::needed).races) {
      const std::int32_t x = thread(event(race.x).agent), y = thread(event(race.y).agent);
      // What has no point to it, or no other, is no question of their order.
      if (race.is_order || x == y || (!is_point(x) && !is_point(y))) continue;
      if (!are_side_by_side(x, y) && is_in_sequence(race)) continue;
      if (findings_.size() == most_findings) return;
      // Who leaves the kernel has no line to show.
      const bool is_leaving = range(race.x).kind == ObjectKind::none;
      add_race(is_leaving ? race.y : race.x, is_leaving ? race.x : race.y,
               loop_of(is_point(x) ? x : y));
    }
  }

  const Range& range(std::int32_t e) const { return record_.ranges[at(event(e).object)]; }

  void add_race(std::int32_t e, std::int32_t other, std::int32_t loop) {
    const std::string here = range_text(range(e)), there = range_text(range(other));
    const std::string does =
        range(other).kind == ObjectKind::none
            ? fmt::format("{} the kernel", range(other).object == 0 ? "enters" : "leaves")
            : fmt::format("{} {}", verb(event(other).access), there == here ? "it" : there);
    Finding finding{.kind = FindingKind::race};
    finding.message = fmt::format(
        "{} {} {} of dev{}, and {} {}, in no order", who(event(e).agent),
        range(e).kind == ObjectKind::semaphore && event(e).access == AccessKind::read
            ? "signals"
            : verb(event(e).access),
        here, record_.agents[at(range(e).site)].id.device, who(event(other).agent), does);
    finding.at = place(e, "");
    if (event(other).statement >= 0)
      finding.notes.push_back(place(
          other, fmt::format("{} {} it here", who(event(other).agent), verb(event(other).access))));
    add(std::move(finding), e, loop);
  }

  // Whether the points need not come in another order for it.
  bool is_in_sequence(const Race& race) {
    if (!races_in_sequence_) {
      races_in_sequence_.emplace();
      for (const Race& other : freeze_one(in_sequence_, Reach::needed).races)
        races_in_sequence_->insert(
            std::minmax({line(in_sequence_.event(other.x)), line(in_sequence_.event(other.y))}));
    }
    return races_in_sequence_->contains(std::minmax({line(event(race.x)), line(event(race.y))}));
  }
  // What is done: by a statement, or by a core that enters or leaves the kernel.
  static std::int32_t line(const RecordedEvent& e) {
    return e.statement >= 0 ? e.statement : -1 - e.agent;
  }

  void find_shared_waits() {
    std::vector<std::int32_t> waiter(record_.cells.size(), -1);
    std::vector<bool> is_told(record_.cells.size());
    for (const std::int32_t e : record_.order) {
      const RecordedEvent& self = event(e);
      if (self.act != Act::wait) continue;
      std::int32_t& first = waiter[at(self.object)];
      const bool is_open = first >= 0 && are_side_by_side(event(first).agent, self.agent);
      if (is_open && !is_told[at(self.object)] && findings_.size() < most_findings) {
        is_told[at(self.object)] = true;
        const SemId& sem = record_.cells[at(self.object)];
        Finding finding{.kind = FindingKind::race};
        finding.message = fmt::format(
            "{} and {} both wait for {}: whose wait a signal meets depends on their order",
            who(event(first).agent), who(self.agent), cell_text(program_, sem.semaphore, sem.cell));
        finding.at = place(e, "");
        if (event(first).statement != self.statement)
          finding.notes.push_back(
              place(first, fmt::format("{} waits here", who(event(first).agent))));
        add(std::move(finding), e, loop_of(self.agent));
      }
      first = e;
    }
  }

  // Each point must be able to come first, with none of the others of its loop begun, nor of those
  // that may wait for it in turn.
  void find_needed_points() {
    std::vector<bool> is_settled(threads_.loops.size());
    for (std::size_t l = 0; l < threads_.loops.size(); ++l) {
      const PointThreads::Loop& loop = threads_.loops[l];
      Play play(record_);
      for (const std::int32_t t : loop.threads) play.hold(t, true);
      for (std::int32_t t = loop.parent; run_of_[at(t)] >= 0;) {
        const PointThreads::Loop& around = threads_.loops[at(run_of_[at(t)])];
        for (const std::int32_t other : around.threads) play.hold(other, other != t);
        t = around.parent;
      }
      play.run_all();
      for (const Stuck& one : try_points(play, loop)) {
        is_settled[l] = true;
        needs_another(loop, one, "another point");
      }
    }
    find_loops_in_need(std::move(is_settled));
  }

  // A point that has begun, and the wait that it does not pass.
  struct Stuck {
    std::int32_t point, wait;
  };
  // Each of a loop's points by itself.
  std::vector<Stuck> try_points(Play& play, const PointThreads::Loop& loop) const {
    std::vector<Stuck> result;
    for (const std::int32_t t : loop.threads) {
      play.mark();
      play.hold(t, false);
      play.run(t);
      if (!play.is_done(t)) result.push_back({t, play.position(t)});
      play.hold(t, true);
      play.undo();
    }
    return result;
  }

  // Loops of several cores, each of which waits for points of the others, and these may not have
  // come. is_settled: those that are told already.
  void find_loops_in_need(std::vector<bool> is_settled) {
    Play play(record_);
    for (std::size_t l = 0; l < threads_.loops.size(); ++l)
      for (const std::int32_t t : threads_.loops[l].threads) play.hold(t, !is_settled[l]);
    play.run_all();
    std::vector<std::vector<Stuck>> stuck(threads_.loops.size());
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (std::size_t l = 0; l < threads_.loops.size(); ++l) {
        if (is_settled[l]) continue;
        const PointThreads::Loop& loop = threads_.loops[l];
        stuck[l] = try_points(play, loop);
        if (!stuck[l].empty()) continue;
        is_settled[l] = goes_on = true;
        for (const std::int32_t t : loop.threads) play.hold(t, false);
        for (const std::int32_t t : loop.threads) play.run(t);
      }
    }
    for (std::size_t l = 0; l < threads_.loops.size(); ++l)
      for (const Stuck& one : stuck[l])
        // Whose loop nobody comes to is not to blame.
        if (!is_settled[l] && one.wait > record_.agents[at(one.point)].begin)
          needs_another(threads_.loops[l], one, "a point of another core");
  }

  void needs_another(const PointThreads::Loop& loop, const Stuck& stuck, std::string_view whom) {
    if (findings_.size() == most_findings) return;
    const auto [t, wait] = stuck;
    const SemId& sem = record_.cells[at(event(wait).object)];
    Finding finding{.kind = FindingKind::race};
    finding.message = fmt::format("{} waits for {}, and gets no further unless {} has come before",
                                  who(t), cell_text(program_, sem.semaphore, sem.cell), whom);
    finding.at = place(wait, "");
    for (const std::int32_t e : record_.order) {
      const std::int32_t by = thread(event(e).agent);
      if (event(e).act != Act::signal || event(e).object != event(wait).object || by == t) continue;
      finding.notes.push_back(place(e, fmt::format("{} signals it here", who(event(e).agent))));
      break;
    }
    add(std::move(finding), wait, loop.statement);
  }

  const PointThreads& threads_;
  const Record& in_sequence_;
  const Record& record_;
  const Program& program_;
  std::optional<std::set<std::pair<std::int32_t, std::int32_t>>> races_in_sequence_;
  std::vector<std::int32_t> run_of_;  // by thread: into threads_.loops, -1 of a core
  std::vector<PointFinding> findings_;
};

}  // namespace

std::vector<PointFinding> point_findings(const PointThreads& threads, const Record& in_sequence) {
  return Findings(threads, in_sequence).run();
}

}  // namespace tessera
