#include "devices/mpi/parts.h"

#include <algorithm>

#include "interp/memory/layout.h"

namespace tessera::mpi {
namespace {

// The elements [begin, end) of one rectangle of a copy.
struct Stretch {
  graph::MemoryId memory{};
  Box box{};
  std::int64_t begin = 0, end = 0;
};

std::int64_t bytes_of_element(const graph::GraphMemory& memories, graph::MemoryId memory) {
  const graph::TaskGraph& graph = memories.graph();
  return size_of(graph.program.buffers[graph.memories[memory].buffer].dtype);
}

// Splits by elements, so that both sides are split at the same positions.
std::vector<std::vector<Stretch>> cut(const graph::GraphMemory& memories, graph::NodeId node,
                                      graph::SideKind side, std::int64_t most) {
  std::vector<std::vector<Stretch>> all;
  std::int64_t room = 0;  // free bytes in the last message
  const graph::TaskGraph& graph = memories.graph();
  for (const graph::ActionId a : graph.nodes[node].actions) {
    const graph::Action& copy = graph.actions[a];
    const std::int64_t size = bytes_of_element(memories, copy.from().memory);
    for (const graph::CopyRegion& piece : graph::copy_regions(graph, a)) {
      const std::int64_t elements = piece.dst.elements();
      for (std::int64_t at = 0; at < elements;) {
        if (room < size) {
          all.emplace_back();
          room = std::max(most, size);
        }
        const std::int64_t end = std::min(elements, at + room / size);
        all.back().push_back(side == graph::SideKind::read
                                 ? Stretch{copy.from().memory, piece.src, at, end}
                                 : Stretch{copy.to().memory, piece.dst, at, end});
        room -= (end - at) * size;
        at = end;
      }
    }
  }
  return all;
}

// Merges the innermost dimensions of a view that are contiguous into one run.
TesseraMpiPiece piece_of(const TileView& view) {
  TesseraMpiPiece piece{view.data, size_of(view.dtype), 0, {}, {}};
  int inner = view.rank;
  const std::int64_t element = size_of(view.dtype);
  for (; inner > 0; --inner) {
    const auto d = Box::at(inner - 1);
    if (view.size[d] != 1 && view.stride[d] * element != piece.run) break;
    piece.run *= view.size[d];
  }
  for (int d = 0; d < inner; ++d) {
    const auto u = Box::at(d);
    if (view.size[u] == 1) continue;
    piece.sizes[piece.dimensions] = view.size[u];
    piece.strides[piece.dimensions++] = view.stride[u] * element;
  }
  return piece;
}

}  // namespace

std::vector<Part> parts(graph::GraphMemory& memories, graph::NodeId node, graph::SideKind side,
                        std::int64_t most) {
  std::vector<Part> all;
  for (const std::vector<Stretch>& stretches : cut(memories, node, side, most)) {
    Part& part = all.emplace_back();
    for (const Stretch& stretch : stretches) {
      const bool is_whole = stretch.begin == 0 && stretch.end == stretch.box.elements();
      const std::vector<Box> boxes = is_whole ? std::vector<Box>{stretch.box}
                                              : rectangles(stretch.box, stretch.begin, stretch.end);
      for (const Box& box : boxes) part.push_back(piece_of(memories.view(stretch.memory, box)));
    }
  }
  return all;
}

std::vector<Part> parts(std::vector<std::byte>& bytes, graph::GraphMemory& memories,
                        graph::NodeId node, std::int64_t most) {
  std::vector<Part> all;
  std::byte* at = bytes.data();
  for (const std::vector<Stretch>& stretches : cut(memories, node, graph::SideKind::write, most)) {
    std::int64_t size = 0;
    for (const Stretch& stretch : stretches)
      size += (stretch.end - stretch.begin) * bytes_of_element(memories, stretch.memory);
    all.push_back({{at, size, 0, {}, {}}});
    at += size;
  }
  return all;
}

}  // namespace tessera::mpi
