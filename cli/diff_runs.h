// The two runs of `diff`, of the command and of the debugger.
#pragma once
#include "cli/reports/diff_report.h"
#include "cli/run_side.h"
#include "core/report/expected.h"

namespace tessera::cli {

// Options of a run that mean nothing where two are held against each other: no results are written
// or judged, and both runs are on the interpreter, one event after the other.
OptionNames not_in_diff();
Expected<DiffReport> diff_runs(RunSide a, RunSide b);

}  // namespace tessera::cli
