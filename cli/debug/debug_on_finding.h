// The debugger where a run stopped.
#pragma once
#include <vector>

#include "cli/command.h"
#include "core/report/finding.h"

namespace tessera::cli {

// For a command whose run has told these findings: the same run in the debugger, which has gone on
// to where the first was found. One that was seen in the whole run or in its results is before the
// event that it is about, if it is about one, else at the end. Commands come from the standard
// input. An exit code.
int debug_on_finding(const Arguments& of_run, const std::vector<Finding>& findings,
                     Console& console);

}  // namespace tessera::cli
