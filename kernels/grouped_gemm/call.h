// A grouped GEMM that is being validated or has been validated.
#pragma once
#include <cstdint>
#include <vector>

#include "core/kernel/grouped_desc.h"
#include "kernels/grouped_gemm/options.h"
#include "kernels/oracle/reference_grouped_gemm.h"

namespace tessera {

struct GroupedGemmCall {
  GroupedTensor lhs, rhs;  // quantised if the options have quantizers
  // lhs: the contracted axes are the first ones; rhs: they are the last ones.
  bool lhs_is_trans = false, rhs_is_trans = false;
  std::int64_t lhs_boundary = 0, rhs_boundary = 0;  // first axis that is merged into the right one
  // All groups as one product: gmm if rows are ragged, with rows as sizes; otherwise tgmm, with
  // contracted extents as sizes. Extents that differ between groups and are not in the sizes are 0:
  // n if columns are ragged, k of gmm if the contraction is. transpose_rhs and `existing` are not
  // used.
  GroupedDesc product;
  // Extents that differ between groups. Rows or the contraction are ragged, or both; columns are
  // only ragged if the contraction is.
  bool ragged_rows = false, ragged_contraction = false, ragged_columns = false;
  GroupedMatrix left, right;
  Shape out_shape;
  DimSizes out_first_dims, out_last_dims;
  // factor: alpha and the scales of both operands, multiplied in f32. beta: zeros if not given.
  std::vector<float> factor, beta;
  bool reads_c = false;  // true if a beta is not 0

  MxAlong lhs_along() const { return lhs_is_trans ? MxAlong::columns : MxAlong::rows; }
  MxAlong rhs_along() const { return rhs_is_trans ? MxAlong::rows : MxAlong::columns; }
  bool is_mx() const { return lhs.mode == ScalingMode::Mxfp8_1D; }
  std::int64_t contracted(std::size_t group) const {
    return lhs_is_trans ? left.groups[group].left : left.groups[group].right;
  }
  // Rows of the result as a matrix with product.n columns. Not defined if columns are ragged: then
  // the groups' blocks are stored one after another.
  std::int64_t rows() const { return product.is_tgmm() ? product.groups() * product.k : product.m; }
  // Returns the product of one group: gmm with one group and rhs [1, k, n].
  GroupedDesc product_of(std::size_t group) const;
  // Rows and columns of a group's product, and its first row and first element in the result.
  std::int64_t group_rows(std::size_t group) const {
    return lhs_is_trans ? left.groups[group].right : left.groups[group].left;
  }
  std::int64_t group_columns(std::size_t group) const {
    return rhs_is_trans ? right.groups[group].left : right.groups[group].right;
  }
  std::int64_t first_row(std::size_t group) const;
  std::int64_t first_element(std::size_t group) const;
  // Sizes of the groups along each side of an operand; null or without elements if they are equal.
  const DimSizes& row_sizes() const { return lhs_is_trans ? lhs.last_dims : lhs.first_dims; }
  const DimSizes& lhs_contracted() const { return lhs_is_trans ? lhs.first_dims : lhs.last_dims; }
  const DimSizes& rhs_contracted() const { return rhs_is_trans ? rhs.last_dims : rhs.first_dims; }
  const DimSizes& column_sizes() const { return rhs_is_trans ? rhs.first_dims : rhs.last_dims; }
  std::int64_t flops() const;
};

// Returns the validated call in the format of the reference: one problem, or one for each group if
// columns are ragged. lhs, rhs: operands from multiplied(). They and the tensors of `options` must
// outlive the result.
std::vector<GroupedGemmProblem> grouped_gemm_problems(const GroupedGemmCall& call,
                                                      const GroupedGemmOptions& options,
                                                      const Tensor& lhs, const Tensor& rhs);
// Returns the operand that the reference multiplies: its elements, or for MXFP8 their dequantised
// values, which are written to `storage`. The result refers to the tensor's data or to `storage`.
// tensor, boundary, along: call.lhs or call.rhs, its boundary and its side of the contraction. The
// call must be validated.
const Tensor& multiplied(const GroupedGemmCall& call, const GroupedTensor& tensor,
                         std::int64_t boundary, MxAlong along, Tensor& storage);

}  // namespace tessera
