#include "devices/threads/planned_program.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "core/data/dtype.h"
#include "core/lang/language.h"
#include "core/report/guarded.h"
#include "core/report/try.h"
#include "devices/profiles/profile.h"
#include "devices/thread_count.h"
#include "devices/threads/task_run.h"
#include "interp/run.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::int64_t smallest_task() { return shuffled_tasks() ? 1 : graph::smallest_strand; }

// The machine that the program is for; nothing of how a simulation of it would be watched.
Expected<RunOptions> machine_of(const DeviceOptions& given, std::size_t devices) {
  RunOptions options;
  if (given.interpreter != nullptr) {
    options.cores = given.interpreter->cores;
    options.dma_order = given.interpreter->dma_order;
    options.uninitialised = given.interpreter->uninitialised;
    options.stop = given.interpreter->stop;
  }
  options.devices = static_cast<int>(devices);
  options.profile = given.profile;
  if (options.profile.name.empty()) options.profile = TRY(find_profile(default_profile)).machine;
  return options;
}

Diags with_advice(Diags why) {
  for (Diag& diag : why)
    if (diag.code == ErrorCode::unsupported)
      diag.message += "; the interpreter runs it: --device interpreter";
  return why;
}

}  // namespace

Expected<std::shared_ptr<const PlannedProgram::Plan>> PlannedProgram::plan(
    const std::vector<DeviceBinding>& bindings, const RunOptions& options) {
  const std::lock_guard lock(mutex_);
  if (!expanded_) {
    expanded_ = TRY(expand(structured_));
    graphs_.emplace(structured_, *expanded_);
  }
  RunOptions first = options;
  first.launch_only = true;
  TRY(tessera::run(*expanded_, bindings, first));  // the operands fit
  const Clock::time_point begin = Clock::now();
  const Simulate simulate = [&](const RunOptions& how) -> Expected<RunResult> {
    TRY(points_.judge(bindings, how));
    return tessera::run(*expanded_, bindings, how);
  };
  CertifyOptions how;
  how.run = options;
  const auto graph = graphs_->of(simulate, bindings, how);
  if (!graph) return with_advice(graph.diags());
  const std::int64_t smallest = smallest_task();
  if (plan_ != nullptr && plan_->graph == *graph && plan_->smallest == smallest) return plan_;
  auto made = std::make_shared<Plan>(Plan{*graph, smallest, graph::tasks(**graph, smallest)});
  made->seconds = seconds_since(begin);
  return plan_ = std::move(made);
}

Expected<DeviceReport> PlannedProgram::run(const std::vector<DeviceBinding>& bindings,
                                           const DeviceOptions& given) try {
  const RunOptions options = TRY(machine_of(given, bindings.size()));
  const std::shared_ptr<const Plan> plan = TRY(this->plan(bindings, options));
  const Math math = given.interpreter != nullptr ? given.interpreter->math : Math::library;
  const std::unique_ptr<const graph::Kit> kit = TRY(graph::kit(*plan->graph, math));
  graph::Memories memories(*plan->graph, bindings);
  TaskRunOptions how;
  how.threads = thread_count();
  how.stop = options.stop != nullptr ? options.stop : current_stop();
  how.shuffle = shuffled_tasks();
  const Clock::time_point begin = Clock::now();
  TaskRunEnd end = run_tasks(plan->tasks, memories, *kit, how);
  if (end.is_stopped)
    return error(ErrorCode::interrupted, "the run was interrupted before it was done");
  DeviceReport report;
  report.wall_seconds = seconds_since(begin);
  report.findings = std::move(end.findings);
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
