// Products that subtasks of a task graph compute: what the fast kernels can do for them, whatever
// loops and windows the program had.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/task_graph/task_graph.h"

namespace tessera::cuda {

// A rectangle of row-major memory, all of whose dimensions but the last are one.
struct FlatRectangle {
  graph::MemoryId memory{};
  std::int64_t row = 0, column = 0, rows = 0, columns = 0;
};

// result = left . right, with `right` transposed or not, in f32; added to `existing`, which may be
// the result's own rectangle, where there is one. Without columns of `left` it is zero, and nothing
// is read.
struct TileProduct {
  FlatRectangle left, right, result;
  std::optional<FlatRectangle> existing{};
  bool transpose_right = false;
};

// What the subtask computes, if it is products alone: accumulators that begin as zero or as what
// was there, steps along one contraction, and the sums stored. None where it is anything else.
std::optional<std::vector<TileProduct>> tile_products(
    const graph::TaskGraph& graph, const Table<graph::MemoryId, bool>& is_private,
    const std::vector<graph::ActionId>& subtask);

}  // namespace tessera::cuda
