// ragged_dot and ragged_dot_general: a dot product one of whose dimensions is cut into groups.
// After jax.lax.ragged_dot_general; what it does not define (rows of no group) is zero here.
#pragma once  // public
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/oracle/check_grouped.h"
#include "kernels/ragged_dot/options.h"

namespace tessera {

// The ragged dot product along `dims`. group_sizes are integers [groups], in elements of the ragged
// axis, or with the extents of the batch axes and of the axes before the ragged one in front. The
// axes of the result are those of the batch, then the other ones of lhs and of rhs that are not
// contracted, each in its order; with the groups first where the contraction is ragged. Errors are
// those of jax, with its texts and classes, what the device cannot run, and a finding of the run.
Expected<Tensor> ragged_dot_general(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                    const RaggedDotDims& dims,
                                    const RaggedDotOptions& options = {});
// The plain case: lhs [m, k], rhs [groups, k, n], group_sizes [groups], result [m, n].
Expected<Tensor> ragged_dot(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                            const RaggedDotOptions& options = {});
// ragged_dot_general with what a report shows beside the result; findings are no errors here.
Expected<GroupedMatmulRun> run_ragged_dot(const Tensor& lhs, const Tensor& rhs,
                                          const Tensor& group_sizes, const RaggedDotDims& dims,
                                          const RaggedDotOptions& options);

// Cotangents of the operands.
struct RaggedDotGradients {
  Tensor lhs, rhs;  // of the operands' shapes and types
};
// The vector-Jacobian product where the ragged axis is not contracted; `cotangent` is that of the
// result. ErrorCode::unsupported in the other modes.
Expected<RaggedDotGradients> ragged_dot_vjp(const Tensor& cotangent, const Tensor& lhs,
                                            const Tensor& rhs, const Tensor& group_sizes,
                                            const RaggedDotDims& dims,
                                            const RaggedDotOptions& options = {});

// Judges a result against the reference in f64. The arguments are those of a call that succeeded.
Verdict check_ragged_dot(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                         const RaggedDotDims& dims, const RaggedDotOptions& options,
                         const Tensor& out, const CheckOptions& how);

}  // namespace tessera
