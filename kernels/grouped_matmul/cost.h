// Cost estimate and name of a grouped matmul kernel.
#pragma once  // public
#include <cstdint>
#include <string>

#include "core/kernel/grouped_desc.h"
#include "core/kernel/tiling.h"

namespace tessera {

// Cost of one call, with the fields of Pallas' CostEstimate.
struct CostEstimate {
  std::int64_t flops = 0;            // 2 m k n
  std::int64_t transcendentals = 0;  // exp, tanh and similar functions: none
  std::int64_t bytes_accessed = 0;   // of operands and results, counted for each access by a tile

  bool operator==(const CostEstimate&) const = default;
};

// Return the cost of one call, counted like in the Pallas kernels. gmm reads lhs once for each tile
// along n, and rhs once for each pair of a row tile and a group in it; their number is taken as its
// maximum, tiles + groups - 1. tgmm reads lhs once for each tile along n, and rhs once for each
// tile along k. Requires positive tile extents.
CostEstimate gmm_cost(const GroupedDesc& desc, const Tiling& tiling);
CostEstimate tgmm_cost(const GroupedDesc& desc, const Tiling& tiling);

// Return the kernel's name with its tile extents: "gmm_128x128x128", with the suffix
// "_transpose_rhs" for transposed weights; "tgmm_128x128x128".
std::string gmm_kernel_name(const Tiling& tiling, bool transpose_rhs);
std::string tgmm_kernel_name(const Tiling& tiling);

}  // namespace tessera
