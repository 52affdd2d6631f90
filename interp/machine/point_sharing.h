// Objects that belong to the iterations of a parallel loop, and objects that iterations share. The
// rule is common to the analysis of parallel loops (analysis/certificate/points/points.h) and to
// loop workers (interp/machine/loop_workers.h).
// - A buffer belongs to the iterations unless it is in hbm, an operand, a result, or the
//   destination of remote copies. A buffer allocated in an iteration belongs to it.
// - The cells of a semaphore are tracked during a run (interp/machine/cell_owners.h).
#pragma once
#include <cstdint>
#include <vector>

#include "core/program/program.h"

namespace tessera {

// Sharing that follows from the text of the program.
struct PointSharing {
  explicit PointSharing(const Program& program);
  Table<BufferId, bool> buffers;        // shared
  Table<SemaphoreId, bool> semaphores;  // shared by all cores
  Table<BufferId, bool> landed_in;      // destination of remote copies
  Table<SemaphoreId, bool> counted_on;  // signalled by remote copies or other devices
};

// True for the parallel loops with iterations for loop workers: the outermost ones. If there are
// only scalar ops between a loop and a parallel loop inside it, the inner loop is used instead.
Table<StmtId, bool> dealt_loops(const Program& program);

// Objects that the statements of a loop name.
struct LoopObjects {
  LoopObjects(const Program& program, StmtId loop);
  Table<BufferId, bool> buffers;
  Table<SemaphoreId, bool> semaphores;
  Table<BufferId, bool> makes_buffer;  // allocated in the loop
  Table<SemaphoreId, bool> makes_semaphore;
};

}  // namespace tessera
