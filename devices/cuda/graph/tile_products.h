// Recognises the products that subtasks of a task graph compute, for fast kernels. Independent of
// the program's loops and windows.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/task_graph/task_graph.h"

namespace tessera::cuda {

// A rectangle of row-major memory, which is seen as a matrix: all dimensions except the last are
// merged into its rows.
struct FlatRectangle {
  graph::MemoryId memory{};
  std::int64_t row = 0, column = 0, rows = 0, columns = 0;
};

// result = left . right, in f32, plus `existing` if it is set; `right` may be transposed.
// `existing` may be the result's own rectangle. If `left` has no columns, the result is zero and
// nothing is read.
struct TileProduct {
  FlatRectangle left, right, result;
  std::optional<FlatRectangle> existing{};
  bool transpose_right = false;
};

// Returns the products of a subtask that computes nothing else: accumulators that start as zero or
// with existing values, steps along one contraction, and stores of the sums. nullopt for other
// subtasks. is_private: private_memories() of the graph.
std::optional<std::vector<TileProduct>> tile_products(
    const graph::TaskGraph& graph, const Table<graph::MemoryId, bool>& is_private,
    const std::vector<graph::ActionId>& subtask);

}  // namespace tessera::cuda
