// Creates the task graph of a program: runs and proves it, then builds nodes and edges from the
// record.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>
#include <system_error>
#include <utility>

#include "analysis/certificate/points/judged_points.h"
#include "analysis/task_graph/completeness.h"
#include "analysis/task_graph/edge_builder.h"
#include "analysis/task_graph/recorder.h"
#include "analysis/task_graph/segments.h"
#include "analysis/task_graph/sides.h"
#include "analysis/task_graph/task_graph.h"
#include "analysis/task_graph/unfold.h"
#include "core/passes/at_once.h"
#include "core/report/guarded.h"
#include "core/report/try.h"
#include "interp/cut_off.h"

namespace tessera::graph {
namespace {

// Reasons why a program with this certificate has no graph; empty if it has one.
Diags refusal(const Certificate& certificate) {
  if (certificate.end != RunEnd::program && certificate.verdict != SchedulesVerdict::refuted)
    return {cut_off(certificate.end, "the proof that a task graph needs")};
  Diags why;
  const auto refuse = [&](Loc loc, const std::string& what, const std::string& message) {
    why.push_back({ErrorCode::unsupported,
                   std::move(loc),
                   fmt::format("no task graph of a program that is {}: {}", what, message),
                   {}});
  };
  if (certificate.verdict == SchedulesVerdict::refuted) {
    for (const Finding& finding : certificate.findings)
      refuse(finding.at.loc, "refuted", as_error(finding).message);
  } else if (certificate.verdict == SchedulesVerdict::explored) {
    for (const BrokenCondition& broken : certificate.basis.broken)
      refuse(broken.loc, "not proved",
             fmt::format("{} does not hold: {}", name(broken.condition), broken.message));
    if (why.empty()) refuse({}, "not proved", std::string(certificate.why_explored()));
  } else if (const auto* all = std::get_if<Exhausted>(&certificate.evidence);
             all != nullptr && all->outcomes != 1) {
    refuse({}, "not deterministic",
           fmt::format("it reads counts, and its {} executions have {} different results",
                       all->executions, all->outcomes));
  }
  return why;
}

// Marks the nodes that contribute data to a result of the program.
Table<NodeId, bool> live_nodes(const TaskGraph& graph, const std::vector<SideId>& results) {
  Table<NodeId, bool> live(graph.nodes.size(), false);
  for (const SideId side : results) live[graph.sides[side].node] = true;
  for (SideId h = graph.sides.last(); h; --h) {
    const NodeSide& side = graph.sides[h];
    if (!live[side.node]) continue;
    for (const Dependence& before : side.predecessors)
      if (before.is_flow) live[graph.sides[before.side].node] = true;
  }
  return live;
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Some machines count the semaphores of slots while these exist; synchronous pipelines have none.
bool may_move_at_once(const RunOptions& run) {
  return !run.rewrite && !run.machine.profile.shares_scoped_semaphores;
}

// Options for a proof with synchronous pipelines. If it fails, the expanded program is certified
// next, so no other verdict is searched for here.
CertifyOptions at_once(CertifyOptions how) {
  how.run.rewrite = MoveAtOnce{};
  how.shown = 0;
  how.exhaust = 0;
  how.schedules = 1;
  return how;
}

// Additions without a fixed order have the order of the eager run in a graph. It may be another one
// if no copies are in flight, so such a certificate does not decide.
bool decides(const Certificate& certificate) {
  return certificate.verdict == SchedulesVerdict::proved &&
         std::holds_alternative<OneRun>(certificate.evidence) && certificate.order.empty();
}

// Builds nodes, sides and edges from the log.
Expected<void> make(TaskGraph& graph, Log log) {
  const PlanningFault fault = planted_planning_fault();
  graph.nodes = segments(log);
  if (fault.nodes) fault.nodes(log, graph.nodes);
  TRY(check_nodes(log, graph.nodes));
  graph.memories = std::move(log.memories);
  graph.actions = std::move(log.actions);
  graph.accesses = std::move(log.accesses);
  graph.arena = std::move(log.arena);
  graph.instances = std::move(log.instances);
  add_sides(graph, graph.accesses);
  if (fault.sides) fault.sides(graph);
  TRY(check_pipelines(graph, log.reported));
  EdgeBuilder all(graph);
  all.run();
  Table<NodeId, bool> live = live_nodes(graph, all.last_writers());
  if (fault.live) fault.live(graph, live);
  TRY(check_live(graph, live));
  graph.dead = std::count(live.begin(), live.end(), false);
  if (graph.dead != 0) keep_nodes(graph, live);
  return check_results(graph, log.written);
}

// Minimum number of actions for a thread: a smaller graph takes no longer than starting one.
constexpr std::size_t fewest_beside = 2048;

// Records a run and builds its graph, on a separate thread while the run is analysed.
class Maker final : public Recorder {
 public:
  void end(RunResult& result) override {
    if (result.end != RunEnd::program || !result.is_complete || !result.findings.empty()) return;
    if (log().actions.size() < fewest_beside) return;
    try {
      made_ = std::async(std::launch::async, [this] { return make(); });
    } catch (const std::system_error&) {  // no thread is available
    }
  }
  // Call it after the run. Moves the graph out of this object.
  Expected<TaskGraph> graph() { return made_.valid() ? made_.get() : make(); }

 private:
  Expected<TaskGraph> make() {
    Log log = TRY(take());
    TaskGraph graph{.program = program(), .topology = topology()};
    TRY(graph::make(graph, std::move(log)));
    return graph;
  }

  std::future<Expected<TaskGraph>> made_;
};

// Records the first run of certify(), and no other one. The schedule of a run with synchronous
// pipelines is not recorded, because it is never replayed.
Expected<Certificate> certified(const Simulate& simulate, const CertifyOptions& how, Maker& maker) {
  bool is_recorded = false;
  const auto recorded = [&](const RunOptions& options) -> Expected<RunResult> {
    if (std::exchange(is_recorded, true)) return simulate(options);
    RunOptions observed = options;
    observed.observers.insert(observed.observers.begin(), &maker);
    observed.record.schedule = options.record.schedule && !asks_at_once(options);
    return simulate(observed);
  };
  return certify(recorded, how);
}

}  // namespace

Expected<TaskGraph> folded_task_graph(const Simulate& simulate, const CertifyOptions& how) try {
  CertifyOptions asked = how;
  asked.run.math = Math::none;
  asked.run.computes_values = false;
  asked.run.schedule = "eager";
  asked.is_named = false;
  // A proof with synchronous pipelines is valid. Without one, the expanded program decides.
  std::optional<Maker> maker(std::in_place);
  const Clock::time_point begin = Clock::now();
  Certificate certificate;
  bool is_decided = false;
  if (may_move_at_once(asked.run)) {
    certificate = TRY(certified(simulate, at_once(asked), *maker));
    // The expanded program has no fewer events, so its run ends at the same limit.
    is_decided =
        decides(certificate) || !is_at_once(maker->program()) || certificate.end != RunEnd::program;
  }
  if (!is_decided) {
    maker.emplace();
    certificate = TRY(certified(simulate, asked, *maker));
  }
  if (Diags why = refusal(certificate); !why.empty()) return why;
  PlanningTime planning{.run = certificate.run.stats.wall_seconds};
  planning.verdict = seconds_since(begin) - planning.run;
  const Clock::time_point is_proved = Clock::now();
  if (!certificate.run.is_complete)
    return Diag{ErrorCode::runtime, {}, "no task graph: the run did not come to its end", {}};
  TaskGraph graph = TRY(maker->graph());
  planning.graph = seconds_since(is_proved);
  graph.planning = planning;
  return graph;
} catch (...) {
  return given_up("making the task graph");
}

Expected<TaskGraph> task_graph(const Simulate& simulate, const CertifyOptions& how) try {
  TaskGraph graph = TRY(folded_task_graph(simulate, how));
  const Clock::time_point begin = Clock::now();
  TRY(unfold(graph));
  graph.planning.graph += seconds_since(begin);
  return graph;
} catch (...) {
  return given_up("making the task graph");
}

}  // namespace tessera::graph
