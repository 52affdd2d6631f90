// The reference of the grouped matmuls, in f64 and block by block, by which the results of all
// devices are judged.
#pragma once  // public
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/data/tensor.h"

namespace tessera {

// A call. The operands are the caller's and are not copied. A dense matmul has one group.
struct GroupedProblem {
  const Tensor* lhs = nullptr;  // [m, k]; of tgmm [m, k] or, with transpose_lhs, [k, m]
  // gmm: [local_groups, k, n] or, with transpose_rhs, [local_groups, n, k]; tgmm: [m, n].
  const Tensor* rhs = nullptr;
  std::vector<std::int64_t> group_sizes;  // rows of each group, of all groups
  std::int64_t group_offset = 0;          // the first group processed
  std::int64_t local_groups = 0;          // and how many
  bool local_rows = false;  // row 0 of lhs is the first row of group `group_offset`, not of group 0
  bool transpose_lhs = false;        // tgmm: lhs is [k, m]
  bool transpose_rhs = false;        // gmm: the matrices are [n, k]
  const Tensor* existing = nullptr;  // of the result's shape; null: zeros
  bool accumulate = true;  // existing is added to what is processed, else replaced; kept elsewhere
};

// Some elements of the result as a matrix, in which row g * k + i of tgmm is row i of block g. All
// rows belong to one group, or to none.
struct ReferenceBlock {
  std::span<const std::int64_t> rows;    // which rows of the result, ascending
  std::int64_t column = 0, columns = 0;  // the first column, and how many
  std::int64_t terms = 0;                // products in the sum of each element
  bool added = false;                    // an existing element is part of the sum
  const double* value = nullptr;         // the elements [rows.size(), columns], row-major
  // |A| |B| (+ |existing|) of finite terms, laid out like `value`; null with Magnitude::none.
  const double* magnitude = nullptr;
  const double* row_largest = nullptr;     // largest |a| in each row's sums; with magnitude only
  const double* column_largest = nullptr;  // largest |b| in each column's sums
  std::int64_t epilogue = 0;  // roundings to f32 that follow the sum: of scales, C and bias
  // The sums before the epilogue and their magnitudes; null where there is none, and they are
  // `value` and `magnitude`.
  const double* sum = nullptr;
  const double* sum_magnitude = nullptr;
};

// Receives the blocks; the pointers hold during the call.
using BlockSink = std::function<void(const ReferenceBlock&)>;

// Whether blocks have magnitudes, which take a second product.
enum class Magnitude : std::uint8_t { none, wanted };

// Computes the given rows, ascending, of gmm: out[rows of group g] = lhs[rows of group g] . rhs[g -
// group_offset]; other rows are zero, or the existing ones.
void reference_gmm(const GroupedProblem& problem, std::span<const std::int64_t> rows,
                   Magnitude magnitude, const BlockSink& sink);
// Computes the given rows, ascending, of tgmm: out[g] = transpose(lhs[rows of g]) . rhs[rows of g];
// an empty group gives zeros, or the existing block.
void reference_tgmm(const GroupedProblem& problem, std::span<const std::int64_t> rows,
                    Magnitude magnitude, const BlockSink& sink);

// A whole result: `run` computes the rows that it receives and passes their blocks to the sink.
// Every element is rounded once.
Tensor collect_reference(
    DType dtype, const Shape& shape,
    const std::function<void(std::span<const std::int64_t>, const BlockSink&)>& run);

// The first row of each processed group and the end of the last, as rows of lhs, [local_groups +
// 1].
std::vector<std::int64_t> processed_rows(const GroupedProblem& problem);

// The whole result, every element rounded once from f64.
Tensor reference_gmm(const GroupedProblem& problem, DType out);
Tensor reference_tgmm(const GroupedProblem& problem, DType out);

}  // namespace tessera
