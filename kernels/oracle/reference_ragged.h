// What a ragged dot product computes, in f64 and block by block.
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

// Axes of one part are one extent: lhs is [batch, outer, m, k]; rhs [local_groups, batch, k, n] or,
// transposed, [.., n, k], and [batch, outer, m, n] where the contraction is ragged. Of a ragged
// batch lhs is [batch, m, k] and rhs [batch, k, n].
struct RaggedProblem {
  RaggedMode mode = RaggedMode::NonContracting;
  Tensor lhs, rhs;
  std::int64_t batch = 1, outer = 1, inner = 1, m = 1, k = 1, n = 1;
  std::int64_t groups = 0, local_groups = 0, group_offset = 0;
  std::vector<std::int64_t> group_sizes;  // [batch * outer, groups], in units of `inner` rows of m
  bool transpose_rhs = false;

  // Rows of the result where something begins.
  std::vector<std::int64_t> edges() const;
  // Rows (of m) at which the groups of (batch entry, outer index) `prefix` begin, and their end.
  std::vector<std::int64_t> group_edges(std::int64_t prefix) const;
};

// `rows` of the result, seen as a matrix of n columns; ascending. It is [batch, outer, m, n], or
// [local_groups, batch, k, n] where the contraction is ragged.
void reference_ragged_dot(const RaggedProblem& problem, std::span<const std::int64_t> rows,
                          Magnitude magnitude, const BlockSink& sink);
// The whole result of that shape, every element rounded once from f64.
Tensor reference_ragged_dot(const RaggedProblem& problem, DType out);

}  // namespace tessera
