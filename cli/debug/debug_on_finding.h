// The debugger where a run stopped.
#pragma once
#include "cli/command.h"

namespace tessera::cli {

// For a command whose run has found something: the same run in the debugger, which has gone on to
// the first finding or the end; commands come from the standard input. An exit code.
int debug_on_finding(const Arguments& of_run, Console& console);

}  // namespace tessera::cli
