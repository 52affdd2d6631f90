// --strict-values: values that nothing reads are findings. Only a run whose events all come in one
// memory per device tells which are read.
#pragma once
#include "cli/args/options.h"
#include "cli/args/run_request.h"

namespace tessera::cli {

Option strict_values_option();
// Whether the run's events tell which values are used.
bool follows_values(const RunRequest& request);
// Whether the option was given. Refused where nothing tells which values are used.
Expected<bool> strict_values(const Arguments& arguments, const RunRequest& request);

}  // namespace tessera::cli
