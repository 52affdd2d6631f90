#include "kernels/grouped_matmul/cost.h"

#include <fmt/format.h>

#include "core/program/scalar.h"

namespace tessera {

CostEstimate gmm_cost(const GroupedDesc& s, const Tiling& tiling) {
  const std::int64_t visits = scalar::tiles(s.m, tiling.m) + s.groups() - 1;
  const std::int64_t lhs = s.m * s.k * size_of(s.lhs) * scalar::tiles(s.n, tiling.n);
  const std::int64_t rhs = s.k * s.n * size_of(s.rhs) * visits;
  return {2 * s.m * s.k * s.n, 0, lhs + rhs + s.m * s.n * size_of(s.out)};
}

CostEstimate tgmm_cost(const GroupedDesc& s, const Tiling& tiling) {
  const std::int64_t lhs = s.m * s.k * size_of(s.lhs) * scalar::tiles(s.n, tiling.n);
  const std::int64_t rhs = s.m * s.n * size_of(s.rhs) * scalar::tiles(s.k, tiling.k);
  return {2 * s.m * s.k * s.n, 0, lhs + rhs + s.groups() * s.k * s.n * size_of(s.out)};
}

std::string gmm_kernel_name(const Tiling& tiling, bool transpose_rhs) {
  return fmt::format("gmm_{}x{}x{}{}", tiling.m, tiling.k, tiling.n,
                     transpose_rhs ? "_transpose_rhs" : "");
}

std::string tgmm_kernel_name(const Tiling& tiling) {
  return fmt::format("tgmm_{}x{}x{}", tiling.m, tiling.k, tiling.n);
}

}  // namespace tessera
