// A ragged dot product that is or was judged, with its operands in the order of the kernels.
#pragma once
#include <cstdint>
#include <vector>

#include "core/kernel/grouped_desc.h"
#include "kernels/ragged_dot/options.h"

namespace tessera {

// Axes of one part become one extent: lhs is [batch, outer, m, k], rhs [groups, batch, k, n] or,
// where the contraction is ragged, lhs [batch, outer, m, k] and rhs [batch, outer, m, n], summed
// over outer and m. `m` is the ragged axis with those after it, which are `inner` rows of each of
// its indices; `outer` are those before it.
struct RaggedCall {
  RaggedMode mode = RaggedMode::NonContracting;
  // What each batch entry and index of `outer` multiply: of a ragged contraction tgmm, else gmm.
  // The sizes are those of the first of them, in rows of m; of a ragged batch they cut nothing. lhs
  // and rhs are the type in which both operands are multiplied.
  GroupedDesc product;
  std::int64_t batch = 1, outer = 1, inner = 1;
  std::vector<std::int64_t> group_sizes;  // [batch * outer, groups], in indices of the ragged axis
  std::vector<std::int64_t> lhs_order, rhs_order;  // axes of the operands in the order above
  Shape lhs_shape, rhs_shape;                      // as above
  Shape flat_shape;                                // of the result, one extent for each part
  Shape out_shape;                                 // of the result

  // One grouped matmul computes it; it may take rhs transposed.
  bool is_single() const { return mode != RaggedMode::Batch && batch == 1 && outer == 1; }
  std::int64_t flops() const;
};

// The call as the reference takes it: with copies of its operands.
RaggedProblem ragged_problem(const Tensor& lhs, const Tensor& rhs, const RaggedCall& call);

}  // namespace tessera
