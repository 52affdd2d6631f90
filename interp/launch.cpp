#include "interp/launch.h"

#include <algorithm>

#include "core/report/try.h"
#include "interp/machine/control_flow.h"
#include "interp/machine/shared_cells.h"
#include "interp/memory/host_need.h"
#include "interp/run.h"
#include "interp/schedule/strategies.h"

namespace tessera {
namespace {

// Returns the number of steps of an eager run without arithmetic, or 0 if the run fails. Overwrites
// the results; the run that follows writes them again.
std::int64_t count_steps(const Program& expanded, const std::vector<Binding>& bindings,
                         RunOptions options) {
  options = options_of_rerun(options);
  options.math = Math::none;
  options.schedule = "eager";
  const auto result = run(expanded, bindings, options);
  return result ? result->stats.steps : 0;
}

// Finds the semaphore cells that several iterations of a parallel loop share. Runs the program
// without loop workers, so that each iteration completes before the next one begins.
Expected<SharedCells> find_shared_cells(const Program& per_point,
                                        const std::vector<Binding>& bindings, RunOptions options) {
  SharedCells cells;
  if (!has_open_cells(per_point) || options.max_steps == 0) return cells;
  options.machine.loop_workers = 0;
  options.schedule = "eager";
  options.copies.granularity = CopyGranularity::whole;
  options.copies.order = DmaOrder::unordered;
  options.machine.slow_device = -1;
  options.record.schedule = options.record.results = false;
  options.checks.enabled = true;
  options.checks.uninitialised = Uninitialised::poison;
  options.observers = {&cells};
  options.debug_sink = nullptr;
  if (!control_needs_arithmetic(per_point)) options.math = Math::none;
  TRY(run(per_point, bindings, options));
  return cells;
}

}  // namespace

std::vector<Binding> KeptRun::bindings() {
  std::vector<Binding> all(operands.size());
  for (std::size_t device = 0; device < operands.size(); ++device)
    for (auto& [name, tensor] : operands[device]) all[device][name] = &tensor;
  return all;
}

bool LaunchRecorder::wants_run(const Program& expanded, const std::vector<Binding>& bindings,
                               const RunOptions& options) {
  launch_ = KeptRun{expanded, {}, options_of_rerun(options)};
  launch_->options.progress = {};
  for (const Binding& binding : bindings) {
    launch_->operands.emplace_back();
    for (const auto& [name, tensor] : binding)
      launch_->operands.back().emplace(name, tensor->clone());
  }
  return false;
}

bool LaunchRecorder::observes(const RunOptions& options) {
  return std::any_of(options.observers.begin(), options.observers.end(), [](const Observer* one) {
    return dynamic_cast<const LaunchRecorder*>(one) != nullptr;
  });
}

Expected<std::unique_ptr<Machine>> launched(const Program& expanded,
                                            const std::vector<Binding>& bindings,
                                            const RunOptions& options, const RunHooks& hooks) {
  const Schedule schedule = TRY(parse_schedule(options.schedule));
  TRY(check_scratch(expanded, options));
  const bool sees_private =
      std::any_of(options.observers.begin(), options.observers.end(),
                  [](const Observer* observer) { return observer->sees_private(); });
  Code code = TRY(compile(expanded, schedule.order, sees_private, hooks.untraced));
  const std::int64_t steps =
      find_strategy(schedule.strategy)->draws_among_steps && options.max_steps > 0
          ? count_steps(expanded, bindings, options)
          : 0;
  auto machine = std::make_unique<Machine>(expanded, options, schedule, std::move(code), steps);
  if (options.machine.loop_workers > 0)
    machine->split_points(TRY(find_shared_cells(expanded, bindings, options)));
  if (hooks.regions) machine->set_regions(hooks.regions(*machine));
  machine->bind(bindings);
  return machine;
}

}  // namespace tessera
