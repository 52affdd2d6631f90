// What an editor's launch request runs.
#pragma once
#include "cli/args/options.h"
#include "debugger/dap/debug_adapter.h"

namespace tessera::cli {

// By the words of the command line, which live longer, with the program and the arguments that the
// editor adds.
debugger::DebugAdapter::Open dap_target(const Arguments& given);

}  // namespace tessera::cli
