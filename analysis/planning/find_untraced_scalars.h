// The scalar accesses that a planned run need not trace.
#pragma once
#include "core/program/program.h"
#include "interp/machine/untraced_scalars.h"

namespace tessera {

// Returns the loads whose results reach control flow, and the stores that only such loads read, of
// integers in smem (rank at most max_indices, default element order) to which no parallel loop
// stores, so iterations do not communicate by them. Mode::batched: asynchronous copies access the
// buffer; stores to it are traced.
UntracedScalars find_untraced_scalars(const Program& program);

}  // namespace tessera
