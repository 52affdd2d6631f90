#include "kernels/grouped_gemm/groups.h"

#include <fmt/format.h>

#include <numeric>

namespace tessera {
namespace {

Expected<void> check_sum(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                         std::int64_t extent) {
  const std::int64_t sum = std::accumulate(call.sizes.begin(), call.sizes.end(), std::int64_t{0});
  const bool must_fill = options.path == GroupedGemmPath::V1 ||
                         GroupedTensor::ragged(call.lhs.last_dims) ||
                         GroupedTensor::ragged(call.rhs.last_dims);
  if (sum == extent || (sum < extent && !must_fill)) return {};
  return error(fmt::format("Unexpected group_sizes! {} = {}, got sum(group_sizes)={}",
                           call.ragged_contraction ? "K" : "M", extent, sum));
}

}  // namespace

Expected<void> cut_into_groups(GroupedGemmCall& call, const GroupedGemmOptions& options) {
  const bool rhs_first = GroupedTensor::ragged(call.rhs.first_dims),
             rhs_last = GroupedTensor::ragged(call.rhs.last_dims);
  bool lhs_first = GroupedTensor::ragged(call.lhs.first_dims);
  const bool lhs_last = GroupedTensor::ragged(call.lhs.last_dims);
  call.ragged_contraction = call.rhs.is_ragged();
  const bool rhs_contracts = call.rhs_is_trans ? rhs_last : rhs_first;
  if (call.ragged_contraction && !rhs_contracts)
    return error(ErrorCode::unsupported,
                 fmt::format("rhs is ragged in its {} dims, which are not contracted: a ragged rhs "
                             "means a ragged contraction, and the result (groups, ...) has no "
                             "ragged columns; exchange the operands",
                             rhs_first ? "first" : "last"));
  if (call.ragged_contraction && !lhs_first && !lhs_last && call.lhs_is_trans) {
    call.lhs.first_dims = rhs_first ? call.rhs.first_dims : call.rhs.last_dims;
    lhs_first = true;
  }
  const bool lhs_contracts = call.lhs_is_trans ? lhs_first : lhs_last;
  if (lhs_contracts != call.ragged_contraction)
    return error(fmt::format("the contraction of {} is ragged and that of {} is not",
                             lhs_contracts ? "lhs" : "rhs", lhs_contracts ? "rhs" : "lhs"));
  const DimSizes& sizes = lhs_first ? call.lhs.first_dims : call.lhs.last_dims;
  const DimSizes& others = rhs_first ? call.rhs.first_dims : call.rhs.last_dims;
  call.sizes.clear();
  for (std::int64_t g = 0; g < call.groups; ++g) {
    const std::int64_t size = sizes->as<std::int32_t>()[g];
    if (size < 0) return error(fmt::format("group_sizes[{}] = {} is negative", g, size));
    call.sizes.push_back(size);
    if (!call.ragged_contraction) continue;
    const std::int64_t other = others->as<std::int32_t>()[g];
    if (other != size)
      return error(fmt::format(
          "Contracting dimension mismatch: group {} has {} in lhs and {} in rhs", g, size, other));
  }
  call.left = grouped_matrix(call.lhs, call.lhs_boundary, call.groups);
  call.right = grouped_matrix(call.rhs, call.rhs_boundary, call.groups);
  return check_sum(call, options, lhs_first ? call.left.left : call.left.right);
}

Expected<void> check_extents(GroupedGemmCall& call) {
  const std::int64_t k_lhs = call.lhs_is_trans ? call.left.left : call.left.right;
  const std::int64_t rhs_left =
      call.ragged_contraction ? call.right.left : call.right.left / call.groups;
  const std::int64_t k_rhs = call.rhs_is_trans ? call.right.right : rhs_left;
  call.columns = call.rhs_is_trans ? rhs_left : call.right.right;
  if (k_lhs == k_rhs) return {};
  return error(fmt::format(
      "Mismatched contracting dimensions: K_lhs={}, K_rhs={} (from "
      "lhs_shape={}, rhs_shape={})",
      k_lhs, k_rhs, to_string(call.lhs.original_shape), to_string(call.rhs.original_shape)));
}

}  // namespace tessera
