// Steps of a task graph for the fast kernels: products of rectangles at positions given by a list.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/report/expected.h"
#include "devices/cuda/graph/tile_products.h"
#include "devices/cuda/lower/lower.h"

namespace tessera::cuda {

// One launch of a fast kernel: its program, the memories of its operands, and its list of tiles.
struct ListedProduct {
  Program program;
  LoweredKernel kernel;
  graph::MemoryId left{}, right{}, result{}, existing{};  // existing: none if nothing is added
  std::vector<std::int32_t> list;  // per tile: row and column of left, right, result; rows; terms
};
inline constexpr std::int64_t listed_words = 8;  // per tile

// Returns one launch for all products of a step. nullopt if a fast kernel cannot compute them:
// unsupported types, products with different memories, or rectangles that do not fit its tiles; and
// if no product has terms.
std::optional<ListedProduct> listed_product(const graph::TaskGraph& graph,
                                            const std::vector<TileProduct>& products);

}  // namespace tessera::cuda
