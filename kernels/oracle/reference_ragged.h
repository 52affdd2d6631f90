// Reference of the ragged dot product, in f64 and block by block.
#pragma once  // public
#include <cstdint>
#include <span>
#include <vector>

#include "core/data/tensor.h"
#include "kernels/oracle/reference.h"

namespace tessera {

// Role of the ragged axis of lhs.
//   NonContracting  out[b, m, n] = lhs[b, m, k] . rhs[group of m, b, k, n]
//   Contracting     out[g, b, m, n]: sum over the k of group g
//   Batch           out[b, m, n] of the plain dot product: the sizes have no effect
enum class RaggedMode : std::uint8_t { NonContracting, Contracting, Batch };

// A call whose axes with the same role are merged.
//   NonContracting  lhs [batch, outer, m, k], rhs [local_groups, batch, k, n] or, transposed,
//                   [local_groups, batch, n, k]
//   Contracting     lhs [batch, outer, m, k], rhs [batch, outer, m, n], summed over outer and m
//   Batch           lhs [batch, m, k], rhs [batch, k, n]
struct RaggedProblem {
  RaggedMode mode = RaggedMode::NonContracting;  // role of the ragged axis
  Tensor lhs, rhs;                               // shapes as above
  // Number of rows of m for each index of the ragged axis: m merges the ragged axis and the axes
  // after it.
  std::int64_t inner = 1;
  std::int64_t group_offset = 0, local_groups = 0;  // first processed group, and their number
  std::vector<std::int64_t> group_sizes;  // [batch * outer, groups], in units of `inner` rows of m
  bool transpose_rhs = false;             // NonContracting: matrices of rhs are [n, k]

  // Extents as above. `outer` is 1 for a ragged batch.
  std::int64_t batch() const { return lhs.dim(0); }
  std::int64_t outer() const { return mode == RaggedMode::Batch ? 1 : lhs.dim(1); }
  std::int64_t m() const { return lhs.dim(lhs.rank() - 2); }
  std::int64_t k() const { return lhs.dim(lhs.rank() - 1); }
  std::int64_t n() const { return rhs.dim(rhs.rank() - (transpose_rhs ? 2 : 1)); }
  // Rows of the result at which a group, a matrix or the result begins or ends.
  std::vector<std::int64_t> edges() const;
  // Rows (of m) at which the groups of a batch entry and outer index begin, and the last end.
  // prefix: batch entry * outer + outer index.
  std::vector<std::int64_t> group_edges(std::int64_t prefix) const;
};

// Computes some rows of the result as a matrix with n columns and passes their blocks to `sink`.
// The result is [batch, outer, m, n], or [local_groups, batch, k, n] if the contraction is ragged.
// rows: ascending.
void reference_ragged_dot(const RaggedProblem& problem, std::span<const std::int64_t> rows,
                          Magnitude magnitude, const BlockSink& sink);
// Computes the whole result in that shape and of type `out`; every element is rounded once from
// f64.
Tensor reference_ragged_dot(const RaggedProblem& problem, DType out);

}  // namespace tessera
