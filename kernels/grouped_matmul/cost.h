// What a grouped matmul costs, as its kernel tells a scheduler.
#pragma once
#include <cstdint>
#include <string>

#include "core/data/dtype.h"
#include "core/machine/tiling.h"

namespace tessera {

struct GroupedShape {
  std::int64_t m = 0, k = 0, n = 0, groups = 0;
  DType lhs = DType::bf16, rhs = DType::bf16, out = DType::f32;
  Tiling tiling;
};

struct CostEstimate {
  std::int64_t flops = 0;
  std::int64_t transcendentals = 0;
  std::int64_t bytes_accessed = 0;

  bool operator==(const CostEstimate&) const = default;
};

// Every m tile reads lhs once for each n tile; rhs is read once for each of at most T + groups - 1
// visits.
CostEstimate gmm_cost(const GroupedShape& shape);
CostEstimate tgmm_cost(const GroupedShape& shape);

// "gmm_128x128x128", with the suffix "_transpose_rhs" when it is; "tgmm_128x128x128".
std::string gmm_kernel_name(const Tiling& tiling, bool transpose_rhs);
std::string tgmm_kernel_name(const Tiling& tiling);

}  // namespace tessera
