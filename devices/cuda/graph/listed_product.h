// Steps of a task graph that the fast kernels do: products of rectangles of which a list tells the
// places.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/report/expected.h"
#include "devices/cuda/graph/tile_products.h"
#include "devices/cuda/lower/lower.h"

namespace tessera::cuda {

// One launch of a fast kernel: whose operands are which memories of the graph, and its list.
struct ListedProduct {
  Program program;
  LoweredKernel kernel;
  graph::MemoryId left{}, right{}, result{}, existing{};  // existing: none where nothing is added
  std::vector<std::int32_t> list;  // by tile: row and column of left, right, result; rows; terms
};
inline constexpr std::int64_t listed_words = 8;  // of a tile

// All that a step multiplies, in one launch. None where a fast kernel cannot: other types, memories
// that differ, rectangles that its tiles do not fit.
std::optional<ListedProduct> listed_product(const graph::TaskGraph& graph,
                                            const std::vector<TileProduct>& products);

}  // namespace tessera::cuda
