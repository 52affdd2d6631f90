// What of a node can be done side by side. Scratch that no other node reads is no bond between two
// ops but where the one reads what the other has written: each subtask has such scratch for itself.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/task_engine/graph_memory.h"

namespace tessera::graph {

// A subtask is worth a task from so much work on, in flops and four times bytes: some microseconds.
inline constexpr std::int64_t min_strand = 1 << 19;

struct Subtask {
  std::vector<ActionId> actions{};  // ascending; what several subtasks read each does for itself
  std::vector<std::size_t> predecessors{};  // subtasks of the node that are to be done before it
};

// Of a node that is none of copies. Each value is computed from the same values in the same order
// as in the node. Subtasks come in an order in which they can be done one after the other; small
// ones are one.
std::vector<Subtask> subtasks(const TaskGraph& graph, const Table<MemoryId, bool>& is_private,
                              NodeId node, std::int64_t smallest = min_strand);

}  // namespace tessera::graph
