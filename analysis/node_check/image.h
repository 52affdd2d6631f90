// What a half of a node leaves where others may see it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/task_engine/graph_memory.h"
#include "analysis/task_graph/task_graph.h"
#include "core/data/dtype.h"

namespace tessera::graph {

// A rectangle of memory that others may see, with what one side wrote there, row-major.
struct Image {
  Rectangle at{};
  DType dtype = DType::f32;
  std::vector<std::byte> bytes{};
  std::vector<bool> defined{};  // by element; empty: all are. The others may hold anything
  // By how much each may differ for rounding, a NaN where nobody knows; empty: not at all.
  std::vector<float> bounds{};
};

using Images = std::vector<Image>;

// The rectangles that the side writes and others may see. is_private: private_memories().
std::vector<Rectangle> outputs(const TaskGraph& graph, const Table<MemoryId, bool>& is_private,
                               SideId side);

// The elements of a rectangle of a memory, with all of its dimensions, row-major.
std::vector<std::byte> bytes_at(GraphMemory& memories, const Rectangle& at);
// The same elements as a view of bytes that lie so. part: within the rectangle.
TileView part_of(std::byte* bytes, DType dtype, const Box& whole, const Box& part);

// A checksum of the elements that are defined.
std::uint64_t checksum(const std::vector<std::byte>& bytes, DType dtype,
                       const std::vector<bool>& defined);

// How what an engine left agrees with what it should be.
enum class Likeness : std::uint8_t { same, within, unbounded, other };
// Of element i of the image; got: with the rectangle's other bytes.
Likeness likeness(const Image& image, const std::vector<std::byte>& got, std::size_t i);
// The worst of all that are defined.
Likeness likeness(const Image& image, const std::vector<std::byte>& got);

}  // namespace tessera::graph
