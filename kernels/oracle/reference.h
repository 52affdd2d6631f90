// Reference of the grouped matmuls, in f64 and block by block. The results of all devices are
// compared with it.
#pragma once  // public
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/data/tensor.h"

namespace tessera {

// A call. The operands are not copied and must outlive this object. A dense matmul has one group.
// The functions below do not check that shapes and sizes fit.
struct GroupedProblem {
  const Tensor* lhs = nullptr;  // [m, k]; tgmm with transpose_lhs: [k, m]
  // gmm: [local_groups, k, n] or, with transpose_rhs, [local_groups, n, k]; tgmm: [m, n].
  const Tensor* rhs = nullptr;
  std::vector<std::int64_t> group_sizes;  // rows of each group, of all groups
  std::int64_t group_offset = 0;          // first processed group
  std::int64_t local_groups = 0;          // number of processed groups
  bool local_rows = false;  // row 0 of lhs is the first row of group `group_offset`, not of group 0
  bool transpose_lhs = false;        // tgmm: lhs is [k, m]
  bool transpose_rhs = false;        // gmm: the matrices are [n, k]
  const Tensor* existing = nullptr;  // same shape as the result; null: zeros
  bool accumulate = true;  // added to processed rows; false: replaced there; kept in other rows
};

// Some elements of the result as a matrix. For tgmm, row g * k + i of the matrix is row i of block
// g. All rows belong to one group, or to none.
struct ReferenceBlock {
  std::span<const std::int64_t> rows;    // rows of the result, ascending
  std::int64_t column = 0, columns = 0;  // first column, and number of columns
  std::int64_t terms = 0;                // products in the sum of each element
  bool added = false;                    // an existing element is part of the sum
  const double* value = nullptr;         // the elements [rows.size(), columns], row-major
  // |A| |B| (+ |existing|) of finite terms, in the same layout as `value`. Null with
  // Magnitude::none.
  const double* magnitude = nullptr;
  const double* row_largest = nullptr;     // largest |a| in each row's sums; only with magnitude
  const double* column_largest = nullptr;  // largest |b| in each column's sums
  std::int64_t epilogue = 0;               // roundings to f32 after the sum: scales, C and bias
  // Sums before the epilogue and their magnitudes. Null without an epilogue: then they are `value`
  // and `magnitude`.
  const double* sum = nullptr;
  const double* sum_magnitude = nullptr;
};

// Receives the blocks. The pointers are valid during the call.
using BlockSink = std::function<void(const ReferenceBlock&)>;

// wanted: blocks have magnitudes, which require a second product.
enum class Magnitude : std::uint8_t { none, wanted };

// Computes some rows of gmm and passes their blocks to `sink`: out[rows of group g] = lhs[rows of
// group g] . rhs[g - group_offset]. Other rows are zero or existing. rows: ascending.
void reference_gmm(const GroupedProblem& problem, std::span<const std::int64_t> rows,
                   Magnitude magnitude, const BlockSink& sink);
// Computes some rows of tgmm and passes their blocks to `sink`: out[g - group_offset] =
// transpose(lhs[rows of g]) . rhs[rows of g]. An empty group gives zeros or, with `accumulate`, the
// existing block. rows: of the result as a matrix, ascending.
void reference_tgmm(const GroupedProblem& problem, std::span<const std::int64_t> rows,
                    Magnitude magnitude, const BlockSink& sink);

// Returns the whole result as a tensor. shape: at least one dimension; the last one is the columns
// of the matrix. run: computes the given rows and passes their blocks to the sink. Every element is
// rounded once; i32 wraps.
Tensor collect_reference(
    DType dtype, const Shape& shape,
    const std::function<void(std::span<const std::int64_t>, const BlockSink&)>& run);

// Returns the first row of each processed group and the end of the last one, as rows of lhs,
// [local_groups + 1].
std::vector<std::int64_t> processed_rows(const GroupedProblem& problem);

// Compute the whole result as a tensor of type `out`; every element is rounded once from f64. gmm
// copies rows outside the processed groups from an existing result of this type.
Tensor reference_gmm(const GroupedProblem& problem, DType out);
Tensor reference_tgmm(const GroupedProblem& problem, DType out);

}  // namespace tessera
