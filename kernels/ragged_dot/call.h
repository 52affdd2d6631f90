// A ragged dot product that is or was judged, with its operands in the order of the kernels.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/ragged_dot/options.h"

namespace tessera {

// Axes of one part become one extent: lhs is [batch, outer, m, k], rhs [groups, batch, k, n] or,
// where the contraction is ragged, lhs [batch, outer, m, k] and rhs [batch, outer, m, n], summed
// over outer and m. `m` is the ragged axis with those after it, which are `inner` rows of each of
// its indices; `outer` are those before it.
struct RaggedCall {
  RaggedMode mode = RaggedMode::NonContracting;
  std::int64_t batch = 1, outer = 1, inner = 1, m = 1, k = 1, n = 1;
  std::int64_t groups = 0, local_groups = 0, group_offset = 0;
  std::vector<std::int64_t> group_sizes;  // [batch * outer, groups], in indices of the ragged axis
  std::vector<std::int64_t> lhs_order, rhs_order;  // axes of the operands in the order above
  Shape lhs_shape, rhs_shape;                      // as above
  Shape flat_shape;                                // of the result, one extent for each part
  Shape out_shape;                                 // of the result
  DType operand = DType::f32, out = DType::f32;
  bool transpose_rhs = false;  // one batch entry: rhs is taken as [groups, n, k]

  // One grouped matmul computes it.
  bool is_single() const { return mode != RaggedMode::Batch && batch == 1 && outer == 1; }
  std::int64_t flops() const;
};

// The call as the reference takes it: with copies of its operands.
RaggedProblem ragged_problem(const Tensor& lhs, const Tensor& rhs, const RaggedCall& call);

}  // namespace tessera
