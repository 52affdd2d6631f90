// What a grouped matmul costs, as its kernel tells a scheduler.
#pragma once  // public
#include <cstdint>
#include <string>

#include "core/kernel/grouped_desc.h"
#include "core/kernel/tiling.h"

namespace tessera {

// The fields of Pallas' CostEstimate.
struct CostEstimate {
  std::int64_t flops = 0;            // 2 m k n
  std::int64_t transcendentals = 0;  // exp, tanh and the like: none
  std::int64_t bytes_accessed = 0;   // of operands and results, each time that a tile touches them

  bool operator==(const CostEstimate&) const = default;
};

// The cost of one call, counted as the Pallas kernels count it: gmm reads lhs once for each tile
// along n, and rhs once for each visit of a group by a tile of rows, of which there are at most
// tiles + groups - 1; tgmm reads lhs once for each tile along n and rhs once for each tile along k.
CostEstimate gmm_cost(const GroupedDesc& desc, const Tiling& tiling);
CostEstimate tgmm_cost(const GroupedDesc& desc, const Tiling& tiling);

// Names of kernels by their tiles: "gmm_128x128x128", with the suffix "_transpose_rhs" for
// transposed weights; "tgmm_128x128x128".
std::string gmm_kernel_name(const Tiling& tiling, bool transpose_rhs);
std::string tgmm_kernel_name(const Tiling& tiling);

}  // namespace tessera
