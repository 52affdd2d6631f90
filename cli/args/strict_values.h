// --strict-values: report unused values as findings. Requires a checked run on the interpreter
// without loop workers.
#pragma once
#include "cli/args/options.h"
#include "cli/args/run_request.h"

namespace tessera::cli {

Option strict_values_option();
// True if the events of the run show which values are used.
bool follows_values(const RunRequest& request);
// Returns true if the option is given; it then fails unless follows_values(request).
Expected<bool> strict_values(const Arguments& arguments, const RunRequest& request);

}  // namespace tessera::cli
