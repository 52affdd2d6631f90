// Programs outside of the fast class as plain CUDA code: a block for each point of the parallel
// grid, tiles in global memory, a barrier after each statement. For compute capability 8.0 and
// newer; correct, and slow.
#pragma once
#include "core/program/program.h"
#include "core/report/expected.h"
#include "devices/cuda/lower/lower.h"
#include "devices/device.h"

namespace tessera::cuda {

// ErrorCode::unsupported, with the place and the reason, for what has no such code either.
Expected<LoweredKernel> lower_general(const Program& program);

// The fast kernel where the program and the machine (compute capability 9.0) have one, else the
// general one, whose summary says why it is not the fast one.
Expected<LoweredKernel> lower_any(const Program& program, const MachineHints& hints,
                                  bool has_fast = true);

// The same where the kernel is an answer to what is asked: the general one takes no hints, and is
// not fast.
Expected<LoweredKernel> lower_as(const Program& program, const PrepareOptions& how,
                                 bool has_fast = true);

}  // namespace tessera::cuda
