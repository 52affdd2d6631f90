// Copies that an engine with one worker can omit: ops read the source instead of the copy.
#pragma once
#include <vector>

#include "analysis/task_graph/task_graph.h"

namespace tessera::graph {

struct ElidedCopies {
  // True for scratch that only omitted copies write and only ops read.
  Table<MemoryId, bool> is_filled{};
  // Sources of the copies to each such memory. They must live as long as this memory.
  Table<MemoryId, std::vector<MemoryId>> sources{};
};

// Returns the scratch of local devices that is written only by copies of one whole rectangle from
// local devices, without additions, whose sources are not written after the copy.
// is_private: private_memories(). local_devices: one entry per device; must not be empty.
ElidedCopies elide_copies(const TaskGraph& graph, const Table<MemoryId, bool>& is_private,
                          const std::vector<bool>& local_devices);

}  // namespace tessera::graph
