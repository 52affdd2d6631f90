// Scalar memory: which of it is a core's own, and which says what is done and nothing else.
#pragma once
#include "core/program/program.h"

namespace tessera {

// Which buffers are a core's own scalars: i64 scratch of rank 1 in smem that no copy names. Nobody
// else can see when they are read or written, so their loads and stores are scalar ops, not steps.
Table<BufferId, bool> private_buffers(const Program& program);

// Buffers to which something in a parallel loop stores.
Table<BufferId, bool> stored_by_points(const Program& program);

// Scratch of scalars, a core's own among it, that is read by what computes control, or more of such
// scratch, alone. reads_control: ControlFlow::reads (interp/machine/control_flow.h).
Table<BufferId, bool> planning_memory(const Program& program,
                                      const Table<StmtId, bool>& reads_control);

}  // namespace tessera
