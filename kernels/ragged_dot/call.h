// A ragged dot product that is being validated or has been validated, with its operands in the
// order of the kernels.
#pragma once
#include <cstdint>
#include <vector>

#include "core/kernel/grouped_desc.h"
#include "kernels/ragged_dot/options.h"

namespace tessera {

// Axes with the same role are merged: lhs is [batch, outer, m, k] and rhs [groups, batch, k, n]. If
// the contraction is ragged, lhs is [batch, outer, m, k] and rhs [batch, outer, m, n], summed over
// outer and m. `m` merges the ragged axis and the axes after it, which are `inner` rows for each of
// its indices; `outer` merges the axes before it.
struct RaggedCall {
  RaggedMode mode = RaggedMode::NonContracting;
  // Product for each batch entry and index of `outer`: tgmm for a ragged contraction, otherwise
  // gmm. Its sizes are the sizes of the first of these products, in rows of m; for a ragged batch
  // they have no effect. Both operand types are the type in which the operands are multiplied.
  GroupedDesc product;
  std::int64_t batch = 1, outer = 1, inner = 1;
  std::vector<std::int64_t> group_sizes;  // [batch * outer, groups], in indices of the ragged axis
  // Permutations of the operands' axes to the order above.
  std::vector<std::int64_t> lhs_order, rhs_order;
  Shape lhs_shape, rhs_shape;  // shapes in the order above
  Shape flat_shape;            // shape of the result, one extent per role
  Shape out_shape;             // shape of the result

  // True if one grouped matmul computes the call; rhs may be transposed.
  bool is_single() const { return mode != RaggedMode::Batch && batch == 1 && outer == 1; }
  // Number of floating-point operations on the processed groups; saturates.
  std::int64_t flops() const;
};

// Returns the call in the format of the reference, with copies of its operands.
RaggedProblem ragged_problem(const Tensor& lhs, const Tensor& rhs, const RaggedCall& call);

}  // namespace tessera
