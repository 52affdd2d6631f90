// What of a node of copies is one message of MPI: as much as may be sent at once, as it lies.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/task_engine/graph_memory.h"
#include "devices/mpi/plugin/interface.h"

namespace tessera::mpi {

// A message's rectangles where they lie.
using Part = std::vector<TesseraMpiPiece>;

// The bytes of a node's side, cut into messages of at most so many bytes, or one element. The parts
// of its other side have the same bytes. None: there is nothing to move.
std::vector<Part> parts(graph::GraphMemory& memories, graph::NodeId node, graph::SideKind side,
                        std::int64_t most);
// The same of bytes that lie together: what arrives before it is added.
std::vector<Part> parts(std::vector<std::byte>& bytes, graph::GraphMemory& memories,
                        graph::NodeId node, std::int64_t most);

}  // namespace tessera::mpi
