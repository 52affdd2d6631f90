// The configuration of gmm and tgmm: what the command line gives of it, asked of choose_config
// (kernels/tuning/grouped_choice.h).
#pragma once
#include <string>

#include "cli/args/options.h"
#include "cli/args/problem.h"
#include "cli/args/run_request.h"
#include "cli/reports/console.h"
#include "kernels/tuning/grouped_tuning.h"
#include "kernels/tuning/selection.h"

namespace tessera::cli {

// The text of --config: JSON, or a file of it.
Expected<GroupedMatmulConfig> read_config(const std::string& file_or_json, ReadFiles* read);

// The problem as tuning knows it, on the device of the request.
GroupedTuningProblem tuning_problem(const Problem& problem, const RunRequest& request);

// The configuration that is chosen, written into the problem; that of the reference, which is not
// cut, stays as it is. Nothing is tuned unless $TESSERA_AUTOTUNE_POLICY says so.
Expected<ConfigDecision> settle_config(Problem& problem, const RunRequest& request,
                                       const Arguments& arguments);
// Whether the command line and the kernel alone decided: the same words give the same run.
bool is_given(const ConfigDecision& decision);
// The command line that also gives this configuration.
Invocation with_config(const Invocation& invocation, const ConfigDecision& decision);

// Lines of a report: all of the decision with --explain, else one when a cache or a tuner decided.
std::string config_lines(const ConfigDecision& decision, bool explains);
// key, source, config and steps.
Json to_json(const ConfigDecision& decision);

}  // namespace tessera::cli
