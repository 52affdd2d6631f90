#include "kernels/ragged_dot/call.h"

#include "core/data/shape_limits.h"
#include "kernels/launch/axes.h"

namespace tessera {

std::string_view name(RaggedMode mode) {
  constexpr std::string_view names[] = {"RAGGED_NONCONTRACTING", "RAGGED_CONTRACTING",
                                        "RAGGED_BATCH"};
  return names[static_cast<std::size_t>(mode)];
}

std::int64_t RaggedCall::flops() const {
  if (mode == RaggedMode::Batch)
    return saturated_product({2, batch, product.m, product.k, product.n});
  const std::int64_t first = product.group_offset, end = first + product.local_groups;
  std::int64_t rows = 0;
  for (std::int64_t p = 0; p < batch * outer; ++p)
    for (std::int64_t g = first; g < end; ++g)
      rows += group_sizes[static_cast<std::size_t>(p * product.groups() + g)] * inner;
  return saturated_product({2, rows, product.k, product.n});
}

RaggedProblem ragged_problem(const Tensor& lhs, const Tensor& rhs, const RaggedCall& call) {
  RaggedProblem problem;
  problem.mode = call.mode;
  problem.lhs = reshaped(permuted(lhs, call.lhs_order), call.lhs_shape);
  problem.rhs = reshaped(permuted(rhs, call.rhs_order), call.rhs_shape);
  problem.inner = call.inner;
  problem.local_groups = call.product.local_groups;
  problem.group_offset = call.product.group_offset;
  problem.group_sizes = call.group_sizes;
  problem.transpose_rhs = call.product.transpose_rhs;
  return problem;
}

}  // namespace tessera
