// Classification of scalar memory: private to a core, or used only to compute control.
#pragma once
#include "core/program/program.h"

namespace tessera {

// True for the private scalars of a core: i64 scratch of rank 1 in smem that only scalar-memory ops
// access (no copies, no tile ops). No other agent can observe these accesses, so loads and stores
// are scalar ops, not steps.
Table<BufferId, bool> private_buffers(const Program& program);

// True for buffers that a statement in a parallel loop stores to.
Table<BufferId, bool> stored_by_points(const Program& program);

// True for scalar scratch that is read only to compute control or other such scratch. Private
// buffers are always included. reads_control: ControlFlow::reads (interp/machine/control_flow.h).
Table<BufferId, bool> planning_memory(const Program& program,
                                      const Table<StmtId, bool>& reads_control);

}  // namespace tessera
