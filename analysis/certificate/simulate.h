// A program and its operands, ready to be run on the simulated machine again and again.
#pragma once
#include <functional>

#include "core/report/expected.h"
#include "interp/run_options.h"
#include "interp/run_result.h"

namespace tessera {

// Runs the program with these options; a command has its own way to.
using Simulate = std::function<Expected<RunResult>(const RunOptions& options)>;

}  // namespace tessera
