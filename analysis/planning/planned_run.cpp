#include "analysis/planning/planned_run.h"

#include <memory>
#include <optional>

#include "analysis/planning/find_untraced_scalars.h"
#include "analysis/planning/memoised_pipelines.h"
#include "interp/launch.h"

namespace tessera {

Expected<RunResult> run_planned(const Program& expanded, const std::vector<Binding>& bindings,
                                const RunOptions& options, const Shortcuts& shortcuts) {
  RunHooks hooks;
  std::optional<UntracedScalars> untraced;
  if (shortcuts.batch_control_loads)
    hooks.untraced = &untraced.emplace(find_untraced_scalars(expanded));
  if (shortcuts.memoise_pipelines && MemoisedPipelines::may_be(expanded, options))
    hooks.regions = [](Machine& machine) { return std::make_unique<MemoisedPipelines>(machine); };
  return run_with(expanded, bindings, options, hooks);
}

}  // namespace tessera
