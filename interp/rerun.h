// Repeated runs.
#pragma once
#include "interp/run_options.h"

namespace tessera {

// Returns a copy of the options for repeating a run, without observers, debug output and the
// verdict on parallel loops.
RunOptions options_of_rerun(const RunOptions& options);

}  // namespace tessera
