// Splits the message of a copy node into MPI messages of a limited size, without packing the data.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/task_engine/graph_memory.h"
#include "devices/mpi/plugin/interface.h"

namespace tessera::mpi {

// The rectangles of one MPI message, at their addresses in the memories or the buffer.
using Part = std::vector<TesseraMpiPiece>;

// Splits the bytes of a copy node's side into messages of at most `most` bytes, or of one element,
// without copying them. The parts of the node's other side have the same bytes. Empty: nothing to
// move. side: `read` or `write`.
std::vector<Part> parts(graph::GraphMemory& memories, graph::NodeId node, graph::SideKind side,
                        std::int64_t most);
// Splits a contiguous buffer of message_bytes(), which receives data that is added later, in the
// same way.
std::vector<Part> parts(std::vector<std::byte>& bytes, graph::GraphMemory& memories,
                        graph::NodeId node, std::int64_t most);

}  // namespace tessera::mpi
