// The reference of the ragged dot product, in f64 and block by block.
#pragma once  // public
#include <cstdint>
#include <span>
#include <vector>

#include "core/data/tensor.h"
#include "kernels/oracle/reference.h"

namespace tessera {

// What the ragged axis of lhs is to the dot product.
//   NonContracting  out[b, m, n] = lhs[b, m, k] . rhs[group of m, b, k, n]
//   Contracting     out[g, b, m, n]: the sum over the k of group g alone
//   Batch           out[b, m, n] of the plain dot product: the sizes change no value
enum class RaggedMode : std::uint8_t { NonContracting, Contracting, Batch };

// A call with the axes of each part merged. NonContracting: lhs [batch, outer, m, k] and rhs
// [local_groups, batch, k, n] or, transposed, [local_groups, batch, n, k]. Contracting: lhs [batch,
// outer, m, k] and rhs [batch, outer, m, n], summed over outer and m. Batch: lhs [batch, m, k] and
// rhs [batch, k, n].
struct RaggedProblem {
  RaggedMode mode = RaggedMode::NonContracting;  // what the ragged axis is
  Tensor lhs, rhs;                               // of the shapes above
  // m is the ragged axis with the axes behind it: that many rows for each of its elements.
  std::int64_t inner = 1;
  std::int64_t group_offset = 0, local_groups = 0;  // the first group processed, and how many are
  std::vector<std::int64_t> group_sizes;  // [batch * outer, groups], in units of `inner` rows of m
  bool transpose_rhs = false;             // NonContracting: the matrices of rhs are [n, k]

  // The extents above, as the operands have them; `outer` is 1 where lhs has none.
  std::int64_t batch() const { return lhs.dim(0); }
  std::int64_t outer() const { return mode == RaggedMode::Batch ? 1 : lhs.dim(1); }
  std::int64_t m() const { return lhs.dim(lhs.rank() - 2); }
  std::int64_t k() const { return lhs.dim(lhs.rank() - 1); }
  std::int64_t n() const { return rhs.dim(rhs.rank() - (transpose_rhs ? 2 : 1)); }
  // Rows of the result at which a group, a matrix or the result begins or ends.
  std::vector<std::int64_t> edges() const;
  // Rows (of m) at which the groups of (batch entry, outer index) `prefix` begin, and their end.
  std::vector<std::int64_t> group_edges(std::int64_t prefix) const;
};

// Computes the given rows, ascending, of the result as a matrix of n columns. The result is [batch,
// outer, m, n], or [local_groups, batch, k, n] where the contraction is ragged.
void reference_ragged_dot(const RaggedProblem& problem, std::span<const std::int64_t> rows,
                          Magnitude magnitude, const BlockSink& sink);
// The whole result, of that shape; every element rounded once from f64.
Tensor reference_ragged_dot(const RaggedProblem& problem, DType out);

}  // namespace tessera
