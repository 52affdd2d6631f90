// The general kernel, for programs that the fast kernels do not support: a CTA for each point of
// the parallel grid, tiles in global memory, a barrier after each statement. For compute capability
// 8.0 and newer. Correct, but slow.
#pragma once
#include "core/program/program.h"
#include "core/report/expected.h"
#include "devices/cuda/lower/lower.h"
#include "devices/device.h"

namespace tessera::cuda {

// Lowers a program to a general kernel. Fails with ErrorCode::unsupported and the reason, with its
// place if it is known, if the program has none. The caller sets LoweredKernel::architecture.
Expected<LoweredKernel> lower_general(const Program& program);

// Lowers to the fast kernel if the program and the machine have one, else to the general kernel,
// with the reason in its note. has_fast: the machine has compute capability 9.0. Fails with
// ErrorCode::unsupported if there is neither kernel, and if there is a fast one only without these
// hints.
Expected<LoweredKernel> lower_any(const Program& program, const MachineHints& hints,
                                  bool has_fast = true);

// Like lower_any, but fails with ErrorCode::unsupported if only a general kernel exists and `how`
// requires a fast one, or has hints that may not be ignored.
Expected<LoweredKernel> lower_as(const Program& program, const PrepareOptions& how,
                                 bool has_fast = true);

}  // namespace tessera::cuda
