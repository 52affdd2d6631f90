// What the simulated machine takes of this process's memory beside operands and results.
#pragma once
#include <cstdint>

#include "core/program/program.h"
#include "core/report/expected.h"
#include "interp/run_options.h"

namespace tessera {

// Bytes of the scratch that ops store into, on all cores. Scratch that only copies reach may stay a
// name for their source, and takes none for certain.
std::int64_t scratch_bytes(const Program& expanded, const RunOptions& options);
// An environment error where that is more than there is.
Expected<void> check_scratch(const Program& expanded, const RunOptions& options);

}  // namespace tessera
