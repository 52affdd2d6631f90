// Debugger target for the launch request of an editor.
#pragma once
#include "cli/args/options.h"
#include "debugger/dap/debug_adapter.h"

namespace tessera::cli {

// Returns the function that opens the target: the command line `given`, with the program and
// arguments from the editor. The function fails if both or neither name a program, for standard
// input, and for options that change nothing. `given` must outlive the result.
debugger::DebugAdapter::Open dap_target(const Arguments& given);

}  // namespace tessera::cli
