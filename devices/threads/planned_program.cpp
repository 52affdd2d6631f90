#include "devices/threads/planned_program.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "analysis/node_check/node_check.h"
#include "analysis/node_check/node_check_report.h"
#include "core/report/guarded.h"
#include "core/report/stop.h"
#include "core/report/try.h"
#include "devices/thread_count.h"
#include "devices/threads/task_run.h"
#include "interp/cut_off.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::int64_t min_task() { return shuffled_tasks() ? 1 : graph::min_subtask_work; }

// The interpreter uses the same arithmetic as the threads.
Expected<std::unique_ptr<graph::NodeCheck>> node_check_of(
    const graph::TaskGraph& graph, const std::vector<DeviceBinding>& bindings, RunOptions machine,
    Math math) {
  machine.math = math;
  return graph::NodeCheck::make(graph, bindings, machine);
}

}  // namespace

Expected<std::shared_ptr<const PlannedProgram::Plan>> PlannedProgram::plan(
    const std::vector<DeviceBinding>& bindings, const RunOptions& options) {
  const Clock::time_point begin = Clock::now();
  const std::shared_ptr<const graph::TaskGraph> graph = TRY(graphs_.of(bindings, options));
  const std::lock_guard lock(mutex_);
  const std::int64_t smallest = min_task();
  if (plan_ != nullptr && plan_->graph == graph && plan_->smallest == smallest) return plan_;
  auto made = std::make_shared<Plan>(Plan{graph, smallest, graph::tasks(*graph, smallest)});
  made->seconds = seconds_since(begin);
  return plan_ = std::move(made);
}

Expected<DeviceReport> PlannedProgram::run(const std::vector<DeviceBinding>& bindings,
                                           const DeviceOptions& given) try {
  const RunOptions options = TRY(planning_options(given, bindings.size()));
  const std::shared_ptr<const Plan> plan = TRY(this->plan(bindings, options));
  const Math math = given.interpreter != nullptr ? given.interpreter->math : Math::library;
  const std::unique_ptr<const graph::WorkerConfig> config =
      TRY(graph::worker_config(*plan->graph, math));
  graph::NodeCheckReport* const checked = graph::NodeCheckReport::of(given.interpreter);
  const std::unique_ptr<graph::NodeCheck> node_check =
      checked != nullptr ? TRY(node_check_of(*plan->graph, bindings, options, math)) : nullptr;
  DeviceReport report;
  if (node_check != nullptr && !node_check->findings().empty()) {
    report.findings = node_check->findings();
    return report;
  }
  graph::GraphMemory memories(*plan->graph, bindings);
  memories.set_observer(node_check.get());
  TaskRunOptions how;
  how.threads = thread_count();
  how.stop = current_stop();
  how.shuffle = shuffled_tasks();
  const Clock::time_point begin = Clock::now();
  TaskRunEnd end = run_tasks(plan->tasks, memories, *config, how);
  if (end.is_stopped) return cut_off(RunEnd::stop, "the run");
  report.wall_seconds = seconds_since(begin);
  report.findings = std::move(end.findings);
  if (node_check != nullptr && report.findings.empty()) {
    node_check->compare_results();
    const graph::Tally tally = node_check->tally();
    std::optional<Finding> first;
    if (tally.first >= 0 || node_check->different_result())
      first = TRY(node_check->first_difference(tally));
    TRY(graph::take(tally, std::move(first), *checked, report.findings));
  }
  return report;
} catch (...) {
  return given_up("running the task graph");
}

std::vector<std::string> PlannedProgram::notes() const {
  const std::lock_guard lock(mutex_);
  if (plan_ == nullptr) return {};
  return {fmt::format("{} threads, {} nodes as {} tasks, planned in {:.3g} ms", thread_count(),
                      plan_->graph->nodes.size(), plan_->tasks.size(), plan_->seconds * 1e3)};
}

}  // namespace tessera
