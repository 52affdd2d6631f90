// Splits a node into subtasks that can run concurrently. Each subtask has its own copy of scratch
// that no other node reads, so such scratch orders two ops only if one reads a result of the other.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/task_engine/graph_memory.h"

namespace tessera::graph {

// Minimum work of a subtask, in flops + 4 * bytes: some microseconds.
inline constexpr std::int64_t min_subtask_work = 1 << 19;

struct Subtask {
  std::vector<ActionId> actions{};  // ascending; several subtasks may contain the same action
  std::vector<std::size_t> predecessors{};  // subtasks of this node
};

// Returns the subtasks of a pipeline or a segment, in an order in which they can run sequentially;
// a single one if the node has too many accesses to compare. Each value is computed from the same
// values in the same order as in the node. Subtasks with less work than `min_work` are merged.
// is_private: private_memories().
std::vector<Subtask> subtasks(const TaskGraph& graph, const Table<MemoryId, bool>& is_private,
                              NodeId node, std::int64_t min_work = min_subtask_work);

}  // namespace tessera::graph
