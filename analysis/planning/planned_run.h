// The run that a task graph is planned from.
#pragma once
#include <vector>

#include "core/program/program.h"
#include "core/report/expected.h"
#include "interp/binding.h"
#include "interp/run_options.h"
#include "interp/run_result.h"

namespace tessera {

// How a planned run saves time. Only for runs without values in which cores take turns in order.
struct Shortcuts {
  // Pipelines that repeat an earlier one are reported to observers and not run
  // (memoised_pipelines.h). No effect unless MemoisedPipelines::may_be().
  bool memoise_pipelines = true;
  // Loads of scalars that decide control flow are reported together and take no steps
  // (find_untraced_scalars.h). run_planned() does not check this option; JudgedPoints clears it if
  // the program has no synchronous blocks, values are computed, there are loop workers, or copies
  // of an iteration may complete after it.
  bool batch_control_loads = true;
};

// Runs the program and fails like run() (interp/run.h), but with shortcuts, which emit fewer
// events. Only memoise_pipelines is checked against the program and the options.
Expected<RunResult> run_planned(const Program& expanded, const std::vector<Binding>& bindings,
                                const RunOptions& options, const Shortcuts& shortcuts);

}  // namespace tessera
