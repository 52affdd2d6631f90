// What the grouped matmuls compute, in f64 and block by block: the oracle by which every device is
// judged.
#pragma once  // public
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/data/tensor.h"

namespace tessera {

// The operands are those of the operation; they are never copied as a whole. A dense matmul is one
// group.
struct GroupedProblem {
  const Tensor* lhs = nullptr;  // [m, k]; of tgmm [m, k] or, with transpose_lhs, [k, m]
  const Tensor* rhs =
      nullptr;  // gmm: [local_groups, k, n] or, with transpose_rhs, [.., n, k]; tgmm: [m, n]
  std::vector<std::int64_t> group_sizes;
  std::int64_t group_offset = 0;  // the first group processed
  std::int64_t local_groups = 0;  // and how many
  bool local_rows = false;  // row 0 of lhs is the first row of group `group_offset`, not of group 0
  bool transpose_lhs = false;
  bool transpose_rhs = false;
  const Tensor* existing = nullptr;  // of the result's shape
  bool accumulate = true;  // existing is added to what is processed, else replaced; kept elsewhere
};

// Some rows of the result, seen as a matrix: row g * k + i of tgmm is row i of block g. All rows of
// a block belong to one group, or to none.
struct ReferenceBlock {
  std::span<const std::int64_t> rows;
  std::int64_t column = 0, columns = 0;
  std::int64_t terms = 0;         // products in each element's sum
  bool added = false;             // an existing element is part of the sum
  const double* value = nullptr;  // rows.size() x columns
  // |A| |B| (+ |existing|) of finite terms, like value; null unless asked for.
  const double* magnitude = nullptr;
  const double* row_largest = nullptr;     // largest |a| in each row's sums; with magnitude only
  const double* column_largest = nullptr;  // largest |b| in each column's sums
  std::int64_t epilogue = 0;  // roundings to f32 that follow the sum: of scales, C and bias
  // The sums of products before the epilogue and the magnitudes of these; null where they are the
  // value and its own.
  const double* sum = nullptr;
  const double* sum_magnitude = nullptr;
};

using BlockSink = std::function<void(const ReferenceBlock&)>;

enum class Magnitude : std::uint8_t { none, wanted };

// out[rows of group g] = lhs[rows of group g] . rhs[g - group_offset]; other rows are zero, or the
// existing ones. `rows` ascend.
void reference_gmm(const GroupedProblem& problem, std::span<const std::int64_t> rows,
                   Magnitude magnitude, const BlockSink& sink);
// out[g] = transpose(lhs[rows of g]) . rhs[rows of g]; an empty group gives zeros, or the existing
// block.
void reference_tgmm(const GroupedProblem& problem, std::span<const std::int64_t> rows,
                    Magnitude magnitude, const BlockSink& sink);

// A whole result from `run`, which hands on the blocks of the rows it is given; every element is
// rounded once.
Tensor collect_reference(
    DType dtype, const Shape& shape,
    const std::function<void(std::span<const std::int64_t>, const BlockSink&)>& run);

// First row of each processed group and the end of the last, as rows of lhs: local_groups + 1
// numbers.
std::vector<std::int64_t> processed_rows(const GroupedProblem& problem);

// The whole result, every element rounded once from f64.
Tensor reference_gmm(const GroupedProblem& problem, DType out);
Tensor reference_tgmm(const GroupedProblem& problem, DType out);

}  // namespace tessera
