// Copies that need not be made where one worker runs all nodes: its ops read what they would have
// copied where it comes from.
#pragma once
#include <vector>

#include "analysis/task_graph/task_graph.h"

namespace tessera::graph {

struct ElidedCopies {
  // Scratch that such copies alone fill and ops alone read.
  Table<MemoryId, bool> is_filled{};
  // Of each that is: where the copies come from. They have to be there as long.
  Table<MemoryId, std::vector<MemoryId>> sources{};
};

// A copy of one rectangle within the memory of the devices that are held, from bytes that nobody
// writes after it. is_private: private_memories(); held: by device.
ElidedCopies elide_copies(const TaskGraph& graph, const Table<MemoryId, bool>& is_private,
                          const std::vector<bool>& held);

}  // namespace tessera::graph
