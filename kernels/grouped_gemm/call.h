// A grouped GEMM that is or was judged: what its operands and options mean.
#pragma once
#include <cstdint>
#include <vector>

#include "core/kernel/grouped_desc.h"
#include "kernels/grouped_gemm/options.h"
#include "kernels/oracle/reference_grouped_gemm.h"

namespace tessera {

struct GroupedGemmCall {
  GroupedTensor lhs, rhs;  // quantised, where the call says so
  bool lhs_is_trans = false, rhs_is_trans = false;
  std::int64_t lhs_boundary = 0, rhs_boundary = 0;
  // All groups as one product. Its kind is gmm where rows are ragged, whose sizes are rows, and
  // else tgmm, whose sizes are contractions. An extent that the groups do not share and the sizes
  // do not tell is 0: n where columns are ragged, k of gmm where the contraction is. transpose_rhs
  // and `existing` are not used.
  GroupedDesc product;
  // Of which extents there is one for each group. Rows or the contraction are ragged, or both;
  // columns only where the contraction is.
  bool ragged_rows = false, ragged_contraction = false, ragged_columns = false;
  GroupedMatrix left, right;
  Shape out_shape;
  DimSizes out_first_dims, out_last_dims;
  // alpha and the scales of both operands, multiplied in f32; beta, zeros without one.
  std::vector<float> factor, beta;
  bool reads_c = false;

  MxAlong lhs_along() const { return lhs_is_trans ? MxAlong::columns : MxAlong::rows; }
  MxAlong rhs_along() const { return rhs_is_trans ? MxAlong::rows : MxAlong::columns; }
  bool is_mx() const { return lhs.mode == ScalingMode::Mxfp8_1D; }
  std::int64_t contracted(std::size_t group) const {
    return lhs_is_trans ? left.groups[group].left : left.groups[group].right;
  }
  // Of the result seen as a matrix of product.n columns. There is none where columns are ragged:
  // then the groups' blocks follow each other.
  std::int64_t rows() const { return product.is_tgmm() ? product.groups() * product.k : product.m; }
  // The product of one group by itself: gmm of one group, with rhs as [1, k, n].
  GroupedDesc product_of(std::size_t group) const;
  // Of the group's product: its rows and columns, and where it begins in the result.
  std::int64_t group_rows(std::size_t group) const {
    return lhs_is_trans ? left.groups[group].right : left.groups[group].left;
  }
  std::int64_t group_columns(std::size_t group) const {
    return rhs_is_trans ? right.groups[group].left : right.groups[group].right;
  }
  std::int64_t first_row(std::size_t group) const;
  std::int64_t first_element(std::size_t group) const;
  // The sizes along each side of an operand; none where its groups are equal there.
  const DimSizes& row_sizes() const { return lhs_is_trans ? lhs.last_dims : lhs.first_dims; }
  const DimSizes& lhs_contracted() const { return lhs_is_trans ? lhs.first_dims : lhs.last_dims; }
  const DimSizes& rhs_contracted() const { return rhs_is_trans ? rhs.last_dims : rhs.first_dims; }
  const DimSizes& column_sizes() const { return rhs_is_trans ? rhs.first_dims : rhs.last_dims; }
  std::int64_t flops() const;
};

// The call as the reference takes it: one problem, or one for each group where columns are ragged.
// `lhs` and `rhs` are what it multiplies: the elements themselves, or what MXFP8 ones stand for.
std::vector<GroupedGemmProblem> grouped_gemm_problems(const GroupedGemmCall& call,
                                                      const GroupedGemmOptions& options,
                                                      const Tensor& lhs, const Tensor& rhs);
// What the reference multiplies of an operand; `storage` holds it where it is not the data.
const Tensor& multiplied(const GroupedGemmCall& call, const GroupedTensor& tensor,
                         std::int64_t boundary, MxAlong along, Tensor& storage);

}  // namespace tessera
