// What a run without tile arithmetic need not keep.
#pragma once
#include "core/program/program.h"
#include "interp/run_options.h"

namespace tessera {

// Buffers of floats whose bytes nobody looks at in such a run. Tile ops leave floats alone, so what
// they would compute is nowhere, and operands that only they would read need not travel; scalars
// that the program loads do, and, where results are wanted, results and operands that copies alone
// carry there. Which elements are initialised is known of idle buffers as of others. All false with
// arithmetic, with hashes of results, or with poison that somebody is to see. All true if no op
// runs: max_steps is 0, or the machine rejects the launch.
Table<BufferId, bool> idle_buffers(const Program& expanded, const RunOptions& options);

}  // namespace tessera
