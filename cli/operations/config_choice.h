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

// Returns the configuration of --config. Fails if the file cannot be read, or for other text than a
// configuration. file_or_json: JSON if it begins with `{` or `[`, else a file name.
Expected<GroupedMatmulConfig> read_config(const std::string& file_or_json, ReadFiles* read);

// Returns the tuning problem for the device of the request, with group offset 0: skipped groups
// have no cost.
GroupedTuningProblem tuning_problem(const Problem& problem, const RunRequest& request);

// Chooses the configuration and stores it in `problem`. The reference has no tiles: `problem` is
// then not changed. Nothing is tuned unless $TESSERA_AUTOTUNE_POLICY requests it. Fails for a wrong
// --config, for --config with --tiling or --buffers, and like choose_config().
Expected<ConfigDecision> settle_config(Problem& problem, const RunRequest& request,
                                       const Arguments& arguments);
// True if the configuration depends only on the command line and the kernel, so that the same words
// repeat the run.
bool is_given(const ConfigDecision& decision);
// Returns the command line with options for this configuration: --config if it has an alignment or
// hints, otherwise --tiling and --buffers.
Invocation with_config(const Invocation& invocation, const ConfigDecision& decision);

// Returns the report lines. explains: true: the whole decision; false: the configuration unless
// is_given(), and warnings.
std::string config_lines(const ConfigDecision& decision, bool explains);
// Returns an object with the members key, source, config and steps, and with candidates and
// warnings if there are any.
Json to_json(const ConfigDecision& decision);

}  // namespace tessera::cli
