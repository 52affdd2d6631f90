// Grouped GEMM of TransformerEngine: out[g] = alpha[g] * op(lhs[g]) . op(rhs[g]) + beta[g] * c[g] +
// bias[g], over operands of any rank whose groups differ along one axis.
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

// The result is [groups, rest of lhs, rest of rhs] where the contraction is ragged alone, and [rest
// of lhs, rest of rhs] where rows are. A packed lhs, whose rows and contraction are ragged, gives
// [rows of all groups, rest of rhs]; a packed rhs [rest of lhs, columns of all groups]; both (1,
// elements): where columns are ragged, the groups' blocks lie one after the other. Which axes are
// contracted says what is transposed; of a packed operand, (1, elements), 0 or 1 is the side of
// each group's matrix. Errors are operands and options that do not fit, with the texts of
// TransformerEngine where it has them, what the device cannot run (ErrorCode::unsupported), and a
// finding of the run. run_grouped_gemm gives what a report shows beside the result; findings are no
// errors there.
Expected<Tensor> grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                              const GroupedGemmOptions& options = {});
Expected<GroupedGemmRun> run_grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                          const GroupedGemmOptions& options);

// Both operands as the call multiplies them: quantised where the options have quantizers, and MXFP8
// scales swizzled where they lie plain (swizzle_grouped); as they are otherwise.
struct GroupedOperands {
  GroupedTensor lhs, rhs;  // of the shapes of the call's operands
};
// Errors are those of quantize_grouped and swizzle_grouped.
Expected<GroupedOperands> quantized_operands(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                             const GroupedGemmOptions& options);

// Whether one kernel for all groups (GroupedGemmPath::V2) can run the call, and why not. Errors are
// operands and options that do not fit. With NVTE_JAX_ENFORCE_V2_GROUPED_GEMM=1 in the environment
// a call that cannot is an error.
Expected<Support> grouped_gemm_v2_support(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                          const GroupedGemmOptions& options);

// Judges a result against the reference in f64, which multiplies the elements as they were
// quantised. The arguments are those of a call that succeeded.
Verdict check_grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                           const GroupedGemmOptions& options, const Tensor& out,
                           const CheckOptions& how);
// What a call computes, without running it.
struct GroupedGemmShape {
  // All groups as one product: gmm where rows are ragged, whose sizes are rows, else tgmm, whose
  // sizes are contractions. n is 0 where columns are ragged, k of gmm where the contraction is.
  GroupedDesc product;
  Shape out;                           // of the result
  std::int64_t flops = 0;              // 2 * rows * columns * contracted extent, of all groups
  std::int64_t products = 0;           // groups with elements in the result: launches of V1
  std::vector<GroupedDesc> of_groups;  // of packed operands: each group's product by itself
};
// Errors are operands and options that do not fit.
Expected<GroupedGemmShape> grouped_gemm_shape(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                              const GroupedGemmOptions& options);

// Cotangents of a layer's operands.
struct GroupedDenseGradients {
  Tensor lhs, rhs;             // of the operands' shapes and types
  std::optional<Tensor> bias;  // f32 [groups, columns]
};
// The vector-Jacobian product of grouped_gemm(lhs, rhs) with ragged rows and weights [groups, k..,
// n..]: dgrad, wgrad, and dbias as the sum of each group's rows in f32. `cotangent` is that of the
// result; alpha, beta and c of the options are not used. Errors as of grouped_gemm.
Expected<GroupedDenseGradients> grouped_dense_vjp(const Tensor& cotangent, const GroupedTensor& lhs,
                                                  const GroupedTensor& rhs,
                                                  const GroupedGemmOptions& options = {});

}  // namespace tessera
