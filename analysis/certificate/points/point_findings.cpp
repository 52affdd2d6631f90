#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "analysis/certificate/points/point_needs.h"
#include "analysis/certificate/points/point_threads.h"
#include "analysis/certificate/races/freeze_one.h"
#include "interp/findings/describe.h"

namespace tessera {
namespace {

constexpr std::size_t max_findings = 20;

class Findings {
 public:
  Findings(const PointThreads& threads, const Record& in_sequence)
      : threads_(threads),
        in_sequence_(in_sequence),
        record_(threads.record),
        program_(*record_.program),
        run_of_(record_.core_ids().size()) {
    for (const LoopRunId run : threads.loops.ids())
      for (const RecordedAgentId t : threads.loops[run].threads) run_of_[t] = run;
  }

  std::vector<PointFinding> run() {
    find_races();
    find_shared_waits();
    find_needed_points();
    return std::move(findings_);
  }

 private:
  const RecordedEvent& event(EventId e) const { return record_.events[e]; }
  RecordedAgentId thread(RecordedAgentId agent) const { return record_.agents[agent].issuer; }
  bool is_point(RecordedAgentId t) const { return !threads_.names[t].empty(); }

  // "point i=1 of dev0.core0", "a copy of point i=1 of dev0.core0", "dev1.core0".
  std::string who(RecordedAgentId agent) const {
    const RecordedAgentId t = thread(agent);
    if (!is_point(t)) return to_string(record_.agents[agent].id);
    return (agent == t ? "" : "a copy of ") + threads_.names[t];
  }
  FindingPlace place(EventId e, std::string message) const {
    const RecordedAgent& agent = record_.agents[event(e).agent];
    FindingPlace result{
        .message = std::move(message), .device = agent.id.device, .agent = to_string(agent.id)};
    if (event(e).statement) result.loc = program_.loc(event(e).statement);
    return result;
  }
  void add(Finding finding, EventId e, StmtId loop) {
    finding.devices = {finding.at.device};
    finding.notes.push_back(
        {.loc = program_.loc(loop),
         .message = "why: points of this loop run in any order, also concurrently"});
    if (event(e).statement)
      add_call_chain(program_, program_.place_of(event(e).statement), finding.notes);
    finding.about.statement = event(e).statement;
    finding.about.points_of = loop;
    finding.devices = {finding.at.device};
    findings_.push_back({std::move(finding), loop});
  }
  // Returns the statement of the loop of an iteration.
  StmtId loop_of(RecordedAgentId t) const {
    const LoopRunId run = run_of_[t];
    return run ? threads_.loops[run].statement : StmtId();
  }
  // True if the threads are in different iterations of one loop run. Others are ordered by the core
  // that forks and joins them.
  bool are_side_by_side(RecordedAgentId a, RecordedAgentId b) const {
    for (; run_of_[a]; a = threads_.loops[run_of_[a]].parent)
      for (RecordedAgentId t = b; run_of_[t]; t = threads_.loops[run_of_[t]].parent)
        if (run_of_[t] == run_of_[a]) return t != a;
    return false;
  }

  std::string range_text(const Range& range) const {
    if (range.kind == ObjectKind::none) return "the kernel";
    if (range.kind == ObjectKind::semaphore) return program_.semaphores[range.semaphore()].name;
    return slice_text(program_, range.buffer(), range.box);
  }
  static std::string_view verb(AccessKind kind) {
    return kind == AccessKind::read         ? "reads"
           : kind == AccessKind::write      ? "stores"
           : kind == AccessKind::accumulate ? "adds to"
                                            : "begins or ends the lifetime of";
  }

  void find_races() {
    // A fork advances thousands of iterations, so a sweep of all of them costs only as much as a
    // few forks.
    for (const Race& race : freeze_one(record_, SearchMode::swept).races) {
      const RecordedAgentId x = thread(event(race.x).agent), y = thread(event(race.y).agent);
      // Races within one thread, or without an iteration, do not depend on the order of iterations.
      if (race.is_order || x == y || (!is_point(x) && !is_point(y))) continue;
      if (!are_side_by_side(x, y) && is_in_sequence(race)) continue;
      if (findings_.size() == max_findings) return;
      // Leaving the kernel has no line to report.
      const bool is_leaving = range(race.x).kind == ObjectKind::none;
      add_race(is_leaving ? race.y : race.x, is_leaving ? race.x : race.y,
               loop_of(is_point(x) ? x : y));
    }
  }

  const Range& range(EventId e) const { return record_.ranges[event(e).range()]; }

  void add_race(EventId e, EventId other, StmtId loop) {
    const std::string here = range_text(range(e)), there = range_text(range(other));
    const std::string does =
        range(other).kind == ObjectKind::none
            ? fmt::format("{} the kernel", range(other).object == 0 ? "enters" : "leaves")
            : fmt::format("{} {}", verb(event(other).access), there == here ? "it" : there);
    Finding finding{.kind = FindingKind::race};
    finding.message =
        fmt::format("{} {} {} of dev{}, and {} {}, in no order", who(event(e).agent),
                    range(e).kind == ObjectKind::semaphore && event(e).access == AccessKind::read
                        ? "signals"
                        : verb(event(e).access),
                    here, record_.agents[Record::core_at(range(e).core)].id.device,
                    who(event(other).agent), does);
    finding.at = place(e, "");
    finding.about.other = event(other).statement;
    if (range(e).kind == ObjectKind::buffer) finding.about.buffer = range(e).buffer();
    if (event(other).statement)
      finding.notes.push_back(place(
          other, fmt::format("{} {} it here", who(event(other).agent), verb(event(other).access))));
    add(std::move(finding), e, loop);
  }

  // True if the race exists in the recorded order of the iterations as well.
  bool is_in_sequence(const Race& race) {
    if (!races_in_sequence_) {
      races_in_sequence_.emplace();
      for (const Race& other : freeze_one(in_sequence_).races)
        races_in_sequence_->insert(
            std::minmax({line(in_sequence_.event(other.x)), line(in_sequence_.event(other.y))}));
    }
    return races_in_sequence_->contains(std::minmax({line(event(race.x)), line(event(race.y))}));
  }
  // Identity of an access: its statement, or the core that enters or leaves the kernel.
  using Line = std::pair<StmtId, RecordedAgentId>;
  static Line line(const RecordedEvent& e) {
    return {e.statement, e.statement ? RecordedAgentId() : e.agent};
  }

  void find_shared_waits() {
    Table<CellId, EventId> waiter(record_.cells.size());
    Table<CellId, bool> is_told(record_.cells.size());
    for (const EventId e : record_.order) {
      const RecordedEvent& self = event(e);
      if (self.act != Act::wait) continue;
      EventId& first = waiter[self.cell()];
      const bool is_open = first && are_side_by_side(event(first).agent, self.agent);
      if (is_open && !is_told[self.cell()] && findings_.size() < max_findings) {
        is_told[self.cell()] = true;
        const SemId& sem = record_.cells[self.cell()];
        Finding finding{.kind = FindingKind::race};
        finding.message = fmt::format(
            "{} and {} both wait for {}: which wait a signal satisfies depends on their order",
            who(event(first).agent), who(self.agent), cell_text(program_, sem.semaphore, sem.cell));
        finding.at = place(e, "");
        finding.about.other = event(first).statement;
        finding.about.semaphore = sem.semaphore;
        if (event(first).statement != self.statement)
          finding.notes.push_back(
              place(first, fmt::format("{} waits here", who(event(first).agent))));
        add(std::move(finding), e, loop_of(self.agent));
      }
      first = e;
    }
  }

  // Each iteration must be able to run first.
  void find_needed_points() {
    const std::size_t left = max_findings - std::min(findings_.size(), max_findings);
    for (const PointNeed& need : point_needs(threads_, left))
      needs_another(threads_.loops[need.loop], need.thread, need.wait,
                    need.is_of_order_elsewhere
                        ? "and stays blocked if other cores run their points in another order"
                        : "and stays blocked unless another point has run before");
  }

  void needs_another(const LoopRun& loop, RecordedAgentId t, EventId wait, std::string_view when) {
    const SemId& sem = record_.cells[event(wait).cell()];
    Finding finding{.kind = FindingKind::race};
    finding.message = fmt::format("{} waits for {}, {}", who(t),
                                  cell_text(program_, sem.semaphore, sem.cell), when);
    finding.at = place(wait, "");
    finding.about.semaphore = sem.semaphore;
    for (const EventId e : record_.order) {
      const RecordedAgentId by = thread(event(e).agent);
      if (event(e).act != Act::signal || event(e).cell() != event(wait).cell() || by == t) continue;
      finding.notes.push_back(place(e, fmt::format("{} signals it here", who(event(e).agent))));
      break;
    }
    add(std::move(finding), wait, loop.statement);
  }

  const PointThreads& threads_;
  const Record& in_sequence_;
  const Record& record_;
  const Program& program_;
  std::optional<std::set<std::pair<Line, Line>>> races_in_sequence_;
  Table<RecordedAgentId, LoopRunId> run_of_;  // by thread; none: a core
  std::vector<PointFinding> findings_;
};

}  // namespace

std::vector<PointFinding> point_findings(const PointThreads& threads, const Record& in_sequence) {
  return Findings(threads, in_sequence).run();
}

}  // namespace tessera
