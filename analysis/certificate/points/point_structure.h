// Decides by the structure of a program, for all inputs, whether the iterations of parallel grid
// dimensions are independent. Then no run is needed.
#pragma once
#include <optional>
#include <vector>

#include "analysis/certificate/points/points.h"

namespace tessera {

// Returns the parallel loops of a program with unexpanded pipelines, each with any order and any
// split; an empty list if there are none. nullopt unless the following holds for all of them; then
// a run of single iterations decides (judge_points).
//
//   - They are grid dimensions, not loops.
//   - Bodies only compute, without copies, semaphores, allocations and inner pipelines.
//   - Parallel dimensions are outermost. Each one alone moves each stored window, along some
//     dimension of hbm, by its block or more. Nothing else in the pipeline accesses that hbm.
//   - Scratch that is stored in the pipeline is stored as a whole before it is read in the first
//     step of an iteration. Elsewhere, only pipelines that store it themselves use it.
std::optional<std::vector<ParallelLoop>> independent_by_structure(const Program& structured);

}  // namespace tessera
