// The scalar accesses that a planned run need not trace.
#pragma once
#include "core/program/program.h"
#include "interp/machine/untraced_scalars.h"

namespace tessera {

// Selects integers in smem to which no parallel loop stores, so iterations do not communicate by
// them.
UntracedScalars find_untraced_scalars(const Program& program);

}  // namespace tessera
