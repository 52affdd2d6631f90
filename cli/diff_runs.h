// The two runs of `diff`, for the command and for the debugger.
#pragma once
#include "cli/reports/diff_report.h"
#include "cli/run_side.h"
#include "core/report/expected.h"

namespace tessera::cli {

// Returns the options of a run that do not apply if two runs are compared: results are neither
// written nor checked, and both runs are on the interpreter, event by event.
OptionNames not_in_diff();
// Executes both runs and returns the report on their first differences. Fails if a run cannot be
// executed, if a signal ended one, or if a limit ended one before a difference was found.
Expected<DiffReport> diff_runs(RunSide a, RunSide b);

}  // namespace tessera::cli
