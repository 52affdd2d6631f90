#include "devices/planned_graphs.h"

#include <utility>

#include "core/lang/language.h"
#include "core/passes/purpose.h"
#include "core/report/try.h"
#include "devices/profiles/profile.h"
#include "interp/run.h"

namespace tessera {
namespace {

Diags with_advice(Diags why) {
  for (Diag& diag : why)
    if (diag.code == ErrorCode::unsupported)
      diag.message += "; the interpreter runs it: --device interpreter";
  return why;
}

}  // namespace

Expected<RunOptions> planning_options(const DeviceOptions& given, std::size_t devices) {
  RunOptions options;
  if (given.interpreter != nullptr) {
    options.machine.cores = given.interpreter->machine.cores;
    options.copies.order = given.interpreter->copies.order;
    options.checks.uninitialised = given.interpreter->checks.uninitialised;
  }
  options.machine.devices = static_cast<int>(devices);
  options.machine.profile = given.profile;
  if (options.machine.profile.name.empty())
    options.machine.profile = TRY(find_profile(default_profile)).machine;
  return options;
}

PlannedGraphs::PlannedGraphs(const Program& structured)
    : structured_(without(structured, Purpose::show)), points_(structured_) {}

Expected<void> PlannedGraphs::prepare() {
  if (expanded_) return {};
  expanded_ = TRY(expand(structured_));
  graphs_.emplace(structured_, *expanded_);
  return {};
}

Expected<std::shared_ptr<const graph::TaskGraph>> PlannedGraphs::of(
    const std::vector<DeviceBinding>& bindings, const RunOptions& options) {
  const std::lock_guard lock(mutex_);
  TRY(prepare());
  RunOptions first = options;
  first.max_steps = 0;
  TRY(tessera::run(*expanded_, bindings, first));  // only checks the launch
  const Simulate simulate = [&](const RunOptions& how) -> Expected<RunResult> {
    return points_.run(*expanded_, bindings, how);
  };
  CertifyOptions how;
  how.run = options;
  auto graph = graphs_->of(simulate, bindings, how);
  if (!graph) return with_advice(graph.diags());
  return graph;
}

Expected<std::vector<std::string>> PlannedGraphs::control_inputs() {
  const std::lock_guard lock(mutex_);
  TRY(prepare());
  return graphs_->control_inputs();
}

}  // namespace tessera
