// Reference of grouped GEMM, in f64 and block by block.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/oracle/reference.h"
#include "kernels/oracle/reference_matrix.h"

namespace tessera {

// out = factor * a . b + beta * c + bias for one group, whose rows are consecutive in the result.
struct GemmGroup {
  MatrixView a, b;             // [rows, terms], [terms, columns]
  std::int64_t first_row = 0;  // in the result as a matrix
  std::int64_t rows = 0, terms = 0;
  double factor = 1;             // alpha and the operands' scales
  double beta = 0;               // 0: c is not used
  const Tensor* c = nullptr;     // same shape as the result
  const Tensor* bias = nullptr;  // [groups, columns]; row `index` is used
  std::int64_t index = 0;
  std::int64_t epilogue = 0;  // roundings to f32 after the sum
};

struct GroupedGemmProblem {
  std::vector<GemmGroup> groups;  // by first row, ascending
  std::int64_t rows = 0, columns = 0;
  // First element of this matrix in a result, and in a C, with several matrices.
  std::int64_t first_element = 0;
  // Returns the first row of each group and the end of the last one; for checked_rows().
  std::vector<std::int64_t> edges() const;
};

// Computes some rows and passes their blocks to `sink`. rows: ascending; rows of no group are zero.
// If there are no groups, no block is passed.
void reference_grouped_gemm(const GroupedGemmProblem& problem, std::span<const std::int64_t> rows,
                            Magnitude magnitude, const BlockSink& sink);
// Computes the whole result as [rows, columns] of type `out`; every element is rounded once from
// f64.
Tensor reference_grouped_gemm(const GroupedGemmProblem& problem, DType out);

}  // namespace tessera
