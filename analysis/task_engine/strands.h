// What of a node can be done side by side. Scratch that no other node reads is no bond between two
// ops but where the one reads what the other has written: each strand has such scratch for itself.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/task_engine/memories.h"

namespace tessera::graph {

// A strand is worth a task from so much work on, in flops and four times bytes: some microseconds.
inline constexpr std::int64_t smallest_strand = 1 << 19;

struct Strand {
  std::vector<ActionId> actions{};    // ascending; what several strands read each does for itself
  std::vector<std::size_t> before{};  // strands of the node that are to be done before it
};

// Of a node that is none of copies. Each value is computed from the same values in the same order
// as in the node. Strands come in an order in which they can be done one after the other; small
// ones are one.
std::vector<Strand> strands(const TaskGraph& graph, const Table<MemoryId, bool>& is_private,
                            NodeId node, std::int64_t smallest = smallest_strand);

}  // namespace tessera::graph
