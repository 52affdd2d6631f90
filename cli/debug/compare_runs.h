// Comparison of two runs for the debugger's command `diff`.
#pragma once
#include "core/data/held_files.h"
#include "debugger/commands/debugger.h"
#include "text/invocation.h"

namespace tessera::cli {

// Returns a function that compares the run of the command line `own` with other runs; it requires
// at least one word. Null if `own` has no options and no program. `files` must outlive the result.
debugger::Debugger::Compare compare_with(const Invocation& own, Files* files);

}  // namespace tessera::cli
