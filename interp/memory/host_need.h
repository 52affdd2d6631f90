// Host memory that the simulated machine needs in addition to operands and results.
#pragma once
#include <cstdint>

#include "core/program/program.h"
#include "core/report/expected.h"
#include "interp/run_options.h"

namespace tessera {

// Bytes of scratch that ops other than copies store into, on all cores. Scratch that is only
// written by copies may alias its source, so it is not counted. Idle scratch is not counted either.
// INT64_MAX if the number does not fit.
std::int64_t scratch_bytes(const Program& expanded, const RunOptions& options);
// Fails with ErrorCode::environment if scratch_bytes() exceeds both 64 MiB and the memory left to
// this process.
Expected<void> check_scratch(const Program& expanded, const RunOptions& options);

}  // namespace tessera
