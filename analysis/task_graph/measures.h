// Measures of the parallelism of a task graph: number of nodes, and length of its longest paths.
#pragma once
#include <array>
#include <cstdint>

#include "analysis/task_graph/task_graph.h"

namespace tessera::graph {

// Totals of a path, or of all nodes.
struct Work {
  std::int64_t nodes = 0, bytes = 0, flops = 0;
  // Estimated cost, which orders paths: one byte costs as much as four flops.
  std::int64_t weight() const { return 4 * bytes + flops; }
};

struct Measures {
  std::array<std::int64_t, 4> nodes{};           // by NodeKind
  std::int64_t edges = 0, data_edges = 0;        // within devices
  std::int64_t messages = 0, message_bytes = 0;  // copies between devices
  std::int64_t depth = 0;                        // nodes on the longest path
  std::int64_t data_depth = 0;                   // nodes on the longest path with only flow edges
  Work all, critical;                            // all nodes; the path with the largest weight
};

// Measures a graph, which must have its edges.
Measures measures(const TaskGraph& graph);

}  // namespace tessera::graph
