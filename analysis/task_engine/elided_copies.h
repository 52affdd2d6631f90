// Copies that an engine with one worker can omit: ops read the source instead of the copy.
#pragma once
#include <vector>

#include "analysis/task_graph/task_graph.h"

namespace tessera::graph {

struct ElidedCopies {
  // True for scratch that only such copies write and only ops read.
  Table<MemoryId, bool> is_filled{};
  // Sources of the copies to each such memory. They must live as long as this memory.
  Table<MemoryId, std::vector<MemoryId>> sources{};
};

// Returns copies of one rectangle within local devices whose source is not written after the copy.
// is_private: private_memories(). local_devices: by device.
ElidedCopies elide_copies(const TaskGraph& graph, const Table<MemoryId, bool>& is_private,
                          const std::vector<bool>& local_devices);

}  // namespace tessera::graph
