// What a grouped matmul costs, as its kernel tells a scheduler.
#pragma once  // public
#include <cstdint>
#include <string>

#include "core/kernel/grouped_desc.h"
#include "core/kernel/tiling.h"

namespace tessera {

struct CostEstimate {
  std::int64_t flops = 0;
  std::int64_t transcendentals = 0;
  std::int64_t bytes_accessed = 0;

  bool operator==(const CostEstimate&) const = default;
};

// Every m tile reads lhs once for each n tile; rhs is read once for each of at most T + groups - 1
// visits.
CostEstimate gmm_cost(const GroupedDesc& desc, const Tiling& tiling);
CostEstimate tgmm_cost(const GroupedDesc& desc, const Tiling& tiling);

// "gmm_128x128x128", with the suffix "_transpose_rhs" when it is; "tgmm_128x128x128".
std::string gmm_kernel_name(const Tiling& tiling, bool transpose_rhs);
std::string tgmm_kernel_name(const Tiling& tiling);

}  // namespace tessera
