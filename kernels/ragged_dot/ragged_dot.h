// ragged_dot and ragged_dot_general: a dot product one of whose dimensions is cut into groups.
// After jax.lax.ragged_dot_general; what it does not define (rows of no group) is zero here.
#pragma once  // public
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/oracle/check_grouped.h"
#include "kernels/ragged_dot/options.h"

namespace tessera {

// group_sizes: any integers, of shape [groups], or with the extents of the batch axes and of the
// axes before the ragged one in front. Axes of the result: batch, what is left of lhs, what is left
// of rhs, each in its order; with the groups first where the contraction is ragged.
Expected<Tensor> ragged_dot_general(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                    const RaggedDotDims& dims,
                                    const RaggedDotOptions& options = {});
// lhs [m, k], rhs [groups, k, n], group_sizes [groups].
Expected<Tensor> ragged_dot(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                            const RaggedDotOptions& options = {});
// The same with all that there is to tell; `out` means nothing where the report has findings.
Expected<GroupedMatmulRun> run_ragged_dot(const Tensor& lhs, const Tensor& rhs,
                                          const Tensor& group_sizes, const RaggedDotDims& dims,
                                          const RaggedDotOptions& options);

struct RaggedDotGradients {
  Tensor lhs, rhs;  // of the operands' shapes and types
};
// Where the ragged axis is not contracted; ErrorCode::unsupported in the other modes.
Expected<RaggedDotGradients> ragged_dot_vjp(const Tensor& cotangent, const Tensor& lhs,
                                            const Tensor& rhs, const Tensor& group_sizes,
                                            const RaggedDotDims& dims,
                                            const RaggedDotOptions& options = {});

// Judges a result against the reference in f64; the call is one that ran.
Verdict check_ragged_dot(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                         const RaggedDotDims& dims, const RaggedDotOptions& options,
                         const Tensor& out, const CheckOptions& how);

}  // namespace tessera
