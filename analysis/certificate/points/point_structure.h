// Whether the points of parallel grid dimensions are independent by the form of the program alone,
// whatever its inputs are: then no run has to show it.
#pragma once
#include <optional>
#include <vector>

#include "analysis/certificate/points/points.h"

namespace tessera {

// Of a program whose pipelines stand: its parallel loops, each in any order and any split, where
// that holds of all of them because
//   bodies compute only: no copy, no semaphore, nothing allocated, no loop inside that is parallel;
//   the parallel dimensions are the outermost, and each one alone moves a window that is stored
//     along some dimension of hbm, by its block or more, and nothing else there touches that hbm;
//   scratch that is stored there is stored whole before it is read in the first step of a point,
//     and named nowhere else in the program.
// Nothing, where one of these is not so; a run of single points decides then (judge_points).
std::optional<std::vector<ParallelLoop>> independent_by_structure(const Program& structured);

}  // namespace tessera
