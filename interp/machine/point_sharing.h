// What the points of a parallel loop have for themselves and what they share with others: the rule
// that the analysis of points (analysis/certificate/points/points.h) and runs of points side by
// side (interp/machine/loop_workers.h) have in common.
//   a buffer belongs to the points unless it is in hbm, an operand or a result, or copies from
//     elsewhere land in it; what a point allocates is its own
//   whose a cell of a semaphore is, interp/machine/cell_owners.h follows through a run
#pragma once
#include <cstdint>
#include <vector>

#include "core/program/program.h"

namespace tessera {

// What the text says.
struct PointSharing {
  explicit PointSharing(const Program& program);
  Table<BufferId, bool> buffers;        // others reach it
  Table<SemaphoreId, bool> semaphores;  // all cores share it
  Table<BufferId, bool> landed_in;      // by copies from elsewhere
  Table<SemaphoreId, bool> counted_on;  // by such copies, or by signals of others
};

// By statement: the parallel loops whose points are dealt out. They are the outermost ones; where
// there is nothing but scalars between such a loop and a parallel one inside, it is the inner one.
Table<StmtId, bool> dealt_loops(const Program& program);

// What the statements of a loop name.
struct LoopObjects {
  LoopObjects(const Program& program, StmtId loop);
  Table<BufferId, bool> buffers;
  Table<SemaphoreId, bool> semaphores;
  Table<BufferId, bool> makes_buffer;  // allocated in the loop
  Table<SemaphoreId, bool> makes_semaphore;
};

}  // namespace tessera
