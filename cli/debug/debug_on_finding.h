// Debugger at the finding of a run.
#pragma once
#include <vector>

#include "cli/command.h"
#include "core/report/finding.h"

namespace tessera::cli {

// Opens the debugger on the run of a command that reported these findings. Advances to before the
// event at which the run reports a finding. If all findings are about the whole run or its results,
// advances to before the event that the first one refers to, or to the end. Reads commands from
// standard input until it ends. Returns the exit code for a finding, or prints the errors if the
// run cannot be debugged and returns their exit code.
int debug_on_finding(const Arguments& of_run, const std::vector<Finding>& findings,
                     Console& console);

}  // namespace tessera::cli
