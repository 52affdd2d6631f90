#include "analysis/certificate/points/points.h"

#include <algorithm>
#include <set>

#include "analysis/certificate/points/point_threads.h"
#include "analysis/certificate/points/points_observer.h"
#include "analysis/certificate/record/recorder.h"
#include "core/report/try.h"
#include "interp/machine/control_flow.h"
#include "interp/machine/nesting.h"
#include "interp/rerun.h"
#include "interp/run.h"

namespace tessera {

namespace {

bool is_parallel_region(const Stmt& s) {
  const auto* grid = std::get_if<Grid>(&s.op);
  return is_parallel_for(s) || (grid != nullptr && grid->parallel != 0);
}

}  // namespace

bool has_points(const Program& program) {
  return std::any_of(program.body.begin(), program.body.end(), is_parallel_region);
}

namespace {

// The copies of an iteration complete before the next one begins, so that one run shows the
// iteration of each copy.
RunOptions one_by_one(const Program& per_point, const RunOptions& options, Observer& observer) {
  RunOptions alone = options_of_rerun(options);
  alone.schedule = "eager";
  alone.machine.loop_workers = 0;
  alone.copies.granularity = CopyGranularity::whole;
  alone.copies.order = DmaOrder::unordered;
  alone.machine.slow_device = -1;
  alone.record.schedule = alone.record.results = false;
  alone.checks.uninitialised = Uninitialised::poison;  // reported by the run of the whole program
  alone.rewrite = nullptr;  // it applies to the program that is not expanded by iterations
  alone.observers = {&observer};
  if (!control_needs_arithmetic(per_point)) alone.math = Math::none;
  return alone;
}

// True if an iteration of a parallel loop starts a copy to another device.
bool points_send(const Program& per_point) {
  const Nesting nesting(per_point);
  for (const StmtId i : per_point.body.ids()) {
    if (!std::holds_alternative<StartRemote>(per_point.body[i].op)) continue;
    for (const StmtId region : nesting.around(i))
      if (is_parallel_region(per_point.body[region])) return true;
  }
  return false;
}

bool is_of(const Program& program, const Stmt& s, const ParallelLoop& loop) {
  const auto* self = std::get_if<For>(&s.op);
  if (self == nullptr || self->parallel == 0) return false;
  const Loc loc = program.written(s.place);
  return loc.source == loop.written.source && loc.line == loop.written.line &&
         loc.column == loop.written.column && program.value(s.result).name == loop.name;
}

}  // namespace

Expected<PointsVerdict> judge_points(const Program& per_point, const std::vector<Binding>& bindings,
                                     const RunOptions& options, CopyGranularity granularity) {
  constexpr std::int64_t max_events = 20'000'000;
  PointsObserver observer;
  const RunResult result = TRY(run(per_point, bindings, one_by_one(per_point, options, observer)));
  PointsVerdict verdict = observer.verdict();
  verdict.end = result.end;
  verdict.of_the_run = result.findings;
  std::set<StmtId> loops;  // loops to analyse with iterations as agents
  for (const StmtId i : per_point.body.ids())
    for (const ParallelLoop& loop : verdict.loops)
      if (loop.synchronises && loop.any_order && is_of(per_point, per_point.body[i], loop))
        loops.insert(i);
  if (loops.empty() || !result.is_complete) return verdict;
  // Iterations may start copies on one link in any order, but a record has one order for each link.
  if (options.copies.order == DmaOrder::fifo && points_send(per_point)) return verdict;

  Recorder recorder(granularity, max_events, true);
  const RunResult again = TRY(run(per_point, bindings, one_by_one(per_point, options, recorder)));
  if (recorder.record().is_over_budget) return verdict;
  verdict.end = again.end;
  if (again.end != RunEnd::program) return verdict;
  const auto of = [&](StmtId loop) -> ParallelLoop& {
    return *std::find_if(verdict.loops.begin(), verdict.loops.end(), [&](const ParallelLoop& l) {
      return is_of(per_point, per_point.body[loop], l);
    });
  };
  for (const StmtId loop : loops) of(loop).is_compared = true;
  for (PointFinding& found :
       point_findings(as_threads(recorder.record(), loops), recorder.record())) {
    of(found.loop).any_order = of(found.loop).any_split = false;
    verdict.findings.push_back(std::move(found.finding));
  }
  return verdict;
}

}  // namespace tessera
