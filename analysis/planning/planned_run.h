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
  // (memoised_pipelines.h).
  bool memoise_pipelines = true;
  // Loads of scalars that decide control flow are reported together and take no steps
  // (find_untraced_scalars.h).
  bool batch_control_loads = true;
};

// As run() (interp/run.h), with shortcuts; a shortcut that the program or the options rule out is
// not used.
Expected<RunResult> run_planned(const Program& expanded, const std::vector<Binding>& bindings,
                                const RunOptions& options, const Shortcuts& shortcuts);

}  // namespace tessera
