// Function that runs a program with its operands on the simulated machine, any number of times.
#pragma once
#include <functional>

#include "core/report/expected.h"
#include "interp/run_options.h"
#include "interp/run_result.h"

namespace tessera {

// Runs the program with these options. Each command provides its own function.
using Simulate = std::function<Expected<RunResult>(const RunOptions& options)>;

}  // namespace tessera
