// Choice of the configuration of gmm and tgmm from the command line, by choose_config()
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

// The configuration of --config: JSON, or the name of a JSON file.
Expected<GroupedMatmulConfig> read_config(const std::string& file_or_json, ReadFiles* read);

// The tuning problem for the device of the request.
GroupedTuningProblem tuning_problem(const Problem& problem, const RunRequest& request);

// Chooses the configuration and stores it in `problem`. The reference has no tiles: `problem` is
// then not changed. Nothing is tuned unless $TESSERA_AUTOTUNE_POLICY requests it.
Expected<ConfigDecision> settle_config(Problem& problem, const RunRequest& request,
                                       const Arguments& arguments);
// True if the configuration depends only on the command line and the kernel, so that the same words
// repeat the run.
bool is_given(const ConfigDecision& decision);
// The command line with options for this configuration.
Invocation with_config(const Invocation& invocation, const ConfigDecision& decision);

// Report lines. explains: all of the decision; otherwise the configuration if a cache or a tuner
// chose it, and warnings.
std::string config_lines(const ConfigDecision& decision, bool explains);
// Members key, source, config and steps; candidates and warnings if there are any.
Json to_json(const ConfigDecision& decision);

}  // namespace tessera::cli
