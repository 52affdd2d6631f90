// A run that is run once more.
#pragma once
#include "interp/run_options.h"

namespace tessera {

// The options with which a run that was asked for is run again: nobody observes it, and it fills
// nothing but its result.
RunOptions options_of_rerun(const RunOptions& options);

}  // namespace tessera
