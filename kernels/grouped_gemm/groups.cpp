#include "kernels/grouped_gemm/groups.h"

#include <fmt/format.h>

#include <numeric>

#include "core/report/try.h"

namespace tessera {
namespace {

std::int64_t sum_of(const DimSizes& sizes) {
  const auto* const first = sizes->as<std::int32_t>();
  return std::accumulate(first, first + sizes->elements(), std::int64_t{0});
}

// Compares the sizes of an operand that is ragged along one side with its extent. Packed operands
// were checked together with their sizes.
Expected<void> check_sum(const GroupedGemmCall& call, const GroupedGemmOptions& options,
                         const GroupedTensor& tensor, const GroupedMatrix& matrix) {
  const bool first = GroupedTensor::ragged(tensor.first_dims);
  const std::int64_t sum = sum_of(first ? tensor.first_dims : tensor.last_dims),
                     extent = first ? matrix.left : matrix.right;
  const bool must_fill = options.path == GroupedGemmPath::V1 ||
                         GroupedTensor::ragged(call.lhs.last_dims) ||
                         GroupedTensor::ragged(call.rhs.last_dims);
  if (sum == extent || (sum < extent && !must_fill)) return {};
  return error(fmt::format("Unexpected group_sizes! {} = {}, got sum(group_sizes)={}",
                           call.ragged_contraction ? "K" : "M", extent, sum));
}

// Finds the ragged extents. Fails if only one operand has a ragged contraction.
Expected<void> find_ragged(GroupedGemmCall& call) {
  call.ragged_contraction = call.rhs.is_ragged();
  if (call.ragged_contraction && !GroupedTensor::ragged(call.rhs_contracted()))
    return error(ErrorCode::unsupported,
                 fmt::format("rhs is ragged in its {} dims, which are not contracted: a ragged rhs "
                             "means a ragged contraction, and the result (groups, ...) has no "
                             "ragged columns; exchange the operands",
                             call.rhs_is_trans ? "first" : "last"));
  if (call.ragged_contraction && !call.lhs.is_ragged() && call.lhs_is_trans)
    call.lhs.first_dims = call.rhs_contracted();
  const bool lhs_contracts = GroupedTensor::ragged(call.lhs_contracted());
  if (lhs_contracts != call.ragged_contraction)
    return error(fmt::format("the contraction of {} is ragged and the contraction of {} is not",
                             lhs_contracts ? "lhs" : "rhs", lhs_contracts ? "rhs" : "lhs"));
  call.ragged_rows = GroupedTensor::ragged(call.row_sizes());
  call.product.kind = call.ragged_rows ? GroupedKind::gmm : GroupedKind::tgmm;
  call.ragged_columns = GroupedTensor::ragged(call.column_sizes());
  return {};
}

}  // namespace

Expected<void> cut_into_groups(GroupedGemmCall& call, const GroupedGemmOptions& options) {
  TRY(find_ragged(call));
  const DimSizes& sizes = call.ragged_rows ? call.row_sizes() : call.lhs_contracted();
  for (std::int64_t g = 0; g < call.product.groups(); ++g) {
    const std::int64_t size = sizes->as<std::int32_t>()[g];
    if (size < 0) return error(fmt::format("group_sizes[{}] = {} is negative", g, size));
    call.product.sizes[static_cast<std::size_t>(g)] = size;
    if (!call.ragged_contraction) continue;
    const std::int64_t l = call.lhs_contracted()->as<std::int32_t>()[g],
                       r = call.rhs_contracted()->as<std::int32_t>()[g];
    if (l != r)
      return error(fmt::format(
          "Contracting dimension mismatch: group {} has {} in lhs and {} in rhs", g, l, r));
  }
  call.left = grouped_matrix(call.lhs, call.lhs_boundary, call.product.groups());
  call.right = grouped_matrix(call.rhs, call.rhs_boundary, call.product.groups());
  if (!call.lhs.is_packed()) return check_sum(call, options, call.lhs, call.left);
  if (!call.rhs.is_packed()) return check_sum(call, options, call.rhs, call.right);
  return {};
}

Expected<void> check_extents(GroupedGemmCall& call) {
  // Contracted extent; if it differs between groups, the total of all groups.
  if (!call.ragged_rows)
    call.product.m = call.lhs_is_trans ? call.left.left : call.left.right;
  else if (!call.ragged_contraction)
    call.product.k = call.contracted(0);
  if (call.lhs.is_packed() || call.rhs.is_packed()) {
    // The contracted extents of the groups were already compared.
    call.product.n = call.ragged_columns ? 0 : call.group_columns(0);
    return {};
  }
  const std::int64_t k_lhs = call.lhs_is_trans ? call.left.left : call.left.right;
  const std::int64_t rhs_left =
      call.ragged_contraction ? call.right.left : call.right.left / call.product.groups();
  const std::int64_t k_rhs = call.rhs_is_trans ? call.right.right : rhs_left;
  call.product.n = call.rhs_is_trans ? rhs_left : call.right.right;
  if (k_lhs == k_rhs) return {};
  return error(fmt::format(
      "Mismatched contracting dimensions: K_lhs={}, K_rhs={} (from "
      "lhs_shape={}, rhs_shape={})",
      k_lhs, k_rhs, to_string(call.lhs.original_shape), to_string(call.rhs.original_shape)));
}

}  // namespace tessera
