// Output of one side of a node, in memory that other nodes may read.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/task_engine/graph_memory.h"
#include "analysis/task_graph/task_graph.h"
#include "core/data/dtype.h"

namespace tessera::graph {

// The contents of a rectangle that one side wrote and other nodes may read, row-major.
struct Image {
  Rectangle at{};
  DType dtype = DType::f32;
  std::vector<std::byte> bytes{};
  std::vector<bool> defined{};  // by element; empty: all are. Others have no expected value
  // Maximum rounding difference by element. NaN: not known. Empty: all bits must be equal.
  std::vector<float> bounds{};
};

using Images = std::vector<Image>;

// Returns the rectangles that the side writes and other nodes may read; no dimension of them is
// dropped (Box::dropped). is_private: private_memories().
std::vector<Rectangle> outputs(const TaskGraph& graph, const Table<MemoryId, bool>& is_private,
                               SideId side);

// Returns a copy of the elements of a rectangle, row-major; dropped dimensions are included.
// Requires memory for which GraphMemory::view() has bytes.
std::vector<std::byte> bytes_at(GraphMemory& memories, const Rectangle& at);
// Returns a view of the elements of `part` in such bytes, valid as long as these. part: within
// `whole`.
TileView part_of(std::byte* bytes, DType dtype, const Box& whole, const Box& part);

// Returns a checksum of the defined elements. defined: by element; empty: all.
std::uint64_t checksum(const std::vector<std::byte>& bytes, DType dtype,
                       const std::vector<bool>& defined);

// Agreement of an actual value with the expected one, best first. same: equal bits. within: within
// the error bound. unbounded: different bits, and no error bound is known. other: wrong.
enum class Likeness : std::uint8_t { same, within, unbounded, other };
// Compares element i, row-major, which must be defined. got: the whole rectangle.
Likeness likeness(const Image& image, const std::vector<std::byte>& got, std::size_t i);
// Returns the worst agreement of all defined elements; `same` if there are none.
Likeness likeness(const Image& image, const std::vector<std::byte>& got);

}  // namespace tessera::graph
