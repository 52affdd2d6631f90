// Buffers that a run without tile arithmetic does not store.
#pragma once
#include "core/program/program.h"
#include "interp/run_options.h"

namespace tessera {

// True for float buffers with contents that a run without tile arithmetic does not need. Such a run
// skips tile ops on floats. It neither stores their results nor copies operands that only they
// read.
// Not idle are scalars that the program loads and, if results are used, results and operands that
// only copies carry to a result. Initialisation is tracked for idle buffers too.
// All false with arithmetic, with hashes of results, or with poison if results are used. All true
// if no op runs: max_steps is 0, or the machine rejects the launch.
Table<BufferId, bool> idle_buffers(const Program& expanded, const RunOptions& options);

}  // namespace tessera
