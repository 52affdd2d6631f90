// The scalar accesses that a planned run need not trace.
#pragma once
#include "core/program/program.h"
#include "interp/machine/untraced_scalars.h"

namespace tessera {

// Integers in smem to which no parallel loop stores, so that iterations do not pass values in them.
UntracedScalars find_untraced_scalars(const Program& program);

}  // namespace tessera
