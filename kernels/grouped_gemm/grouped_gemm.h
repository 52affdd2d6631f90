// Grouped GEMM with the interface of TransformerEngine: out[g] = alpha[g] * op(lhs[g]) . op(rhs[g])
// + beta[g] * c[g] + bias[g]. Operands have any rank; their groups differ along one axis, or along
// two if the operand is packed.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <vector>

#include "core/kernel/grouped_desc.h"
#include "devices/device.h"
#include "kernels/grouped_gemm/grouped_tensor.h"
#include "kernels/grouped_gemm/options.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {

// Computes a grouped GEMM. The contracted axes in the options decide whether an operand is
// transposed; for a packed operand, (1, elements), axis 0 or 1 selects a side of each group's
// matrix. The shape of the result depends on the ragged axes:
//   only the contraction: [groups, rest of lhs, rest of rhs]
//   only the rows: [rest of lhs, rest of rhs]
//   rows and contraction (packed lhs): [rows of all groups, rest of rhs]
//   contraction and columns (packed rhs): [rest of lhs, columns of all groups]
//   all three: (1, elements)
// If columns are ragged, the groups' blocks are stored one after another. Fails if operands and
// options do not fit each other (with TransformerEngine's message if it has one), with
// ErrorCode::unsupported if the device cannot run the call, with the findings of the run, and if a
// limit or a signal ended it. run_grouped_gemm returns the findings in the report instead, with
// other data for a report.
Expected<Tensor> grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                              const GroupedGemmOptions& options = {});
Expected<GroupedGemmRun> run_grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                          const GroupedGemmOptions& options);

// Operands that the call multiplies: quantised if the options have quantizers, with MXFP8 scales
// swizzled if they are not yet (swizzle_grouped); otherwise unchanged.
struct GroupedOperands {
  GroupedTensor lhs, rhs;  // same shapes as the call's operands
};
// Quantises and swizzles operands. Fails like quantize_grouped and swizzle_grouped, and if the
// operands and the axes, quantizers or path of the options do not fit each other.
Expected<GroupedOperands> quantized_operands(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                             const GroupedGemmOptions& options);

// Returns ok if one kernel for all groups (GroupedGemmPath::V2) can run the call, else the reason.
// Fails if operands and options do not fit each other. If the environment has
// NVTE_JAX_ENFORCE_V2_GROUPED_GEMM=1, running a call that V2 cannot run fails.
Expected<Support> grouped_gemm_v2_support(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                          const GroupedGemmOptions& options);

// Compares `out` with the reference in f64, which multiplies the quantised elements. The arguments
// must belong to a call that succeeded. If they are not valid or `out` has another shape, the
// verdict is not ok and has the error.
Verdict check_grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                           const GroupedGemmOptions& options, const Tensor& out,
                           const CheckOptions& how);
// Shapes and sizes of a call.
struct GroupedGemmShape {
  // All groups as one product: gmm if rows are ragged, with rows as sizes; otherwise tgmm, with
  // contracted extents as sizes. n is 0 if columns are ragged; k of gmm is 0 if the contraction is.
  GroupedDesc product;
  Shape out;                  // of the result
  std::int64_t flops = 0;     // 2 * rows * columns * contracted extent, summed over the groups
  std::int64_t products = 0;  // groups with elements in the result: launches of V1
  std::vector<GroupedDesc> of_groups;  // packed operands: one product per group
};
// Returns the shapes and sizes without running the call. Fails if operands and options do not fit
// each other.
Expected<GroupedGemmShape> grouped_gemm_shape(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                              const GroupedGemmOptions& options);

// Cotangents of the operands.
struct GroupedDenseGradients {
  Tensor lhs, rhs;             // same shapes and types as the operands
  std::optional<Tensor> bias;  // f32 [groups, columns]; none without a bias in the options
};
// Returns the vector-Jacobian product of grouped_gemm(lhs, rhs), for ragged rows and weights
// [groups, k.., n..]: dgrad, wgrad, and dbias, the sum of each group's rows in f32. cotangent:
// cotangent of the result, with the operands' type. alpha, beta and c of the options are checked,
// but not used. Fails like grouped_gemm, for a cotangent of another shape or type, and with
// ErrorCode::unsupported for other ragged axes, scales and quantizers.
Expected<GroupedDenseGradients> grouped_dense_vjp(const Tensor& cotangent, const GroupedTensor& lhs,
                                                  const GroupedTensor& rhs,
                                                  const GroupedGemmOptions& options = {});

}  // namespace tessera
