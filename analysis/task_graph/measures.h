// What a task graph is worth: how many nodes there are, and how many have to be done one after the
// other.
#pragma once
#include <array>
#include <cstdint>

#include "analysis/task_graph/task_graph.h"

namespace tessera::graph {

// A path through nodes, or all of them.
struct Work {
  std::int64_t nodes = 0, bytes = 0, flops = 0;
  // What orders paths: as many flops as four times the bytes.
  std::int64_t weight() const { return 4 * bytes + flops; }
};

struct Measures {
  std::array<std::int64_t, 4> nodes{};           // by NodeKind
  std::int64_t edges = 0, data_edges = 0;        // inside devices
  std::int64_t messages = 0, message_bytes = 0;  // between devices, of copies
  std::int64_t depth = 0;                        // nodes of the longest path
  std::int64_t data_depth = 0;                   // and of the longest whose edges all carry data
  Work all, critical;                            // all nodes; those of the heaviest path
};

Measures measures(const TaskGraph& graph);

}  // namespace tessera::graph
