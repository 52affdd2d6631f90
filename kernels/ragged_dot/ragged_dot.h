// ragged_dot and ragged_dot_general: dot products with one dimension that is divided into groups.
// Follows jax.lax.ragged_dot_general. Rows of no group, which jax leaves undefined, are zero.
#pragma once  // public
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/oracle/check_grouped.h"
#include "kernels/ragged_dot/options.h"

namespace tessera {

// Computes the ragged dot product along `dims`. group_sizes are integers, in elements of the ragged
// axis, of shape [groups] or with the batch axes and the axes before the ragged one in front. The
// axes of the result are the batch axes, then the other axes of lhs and of rhs that are not
// contracted, each in its order. If the contraction is ragged, the groups come first. Fails like
// jax, with its messages and error classes, if the device cannot run the call, with the findings of
// the run, and if a limit or a signal ended it.
Expected<Tensor> ragged_dot_general(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                                    const RaggedDotDims& dims,
                                    const RaggedDotOptions& options = {});
// Computes the standard case: lhs [m, k], rhs [groups, k, n], group_sizes [groups], result [m, n].
// Fails like ragged_dot_general().
Expected<Tensor> ragged_dot(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                            const RaggedDotOptions& options = {});
// Variant of ragged_dot_general that also returns the data for a report. Findings of the run are in
// the report; they are not errors.
Expected<GroupedMatmulRun> run_ragged_dot(const Tensor& lhs, const Tensor& rhs,
                                          const Tensor& group_sizes, const RaggedDotDims& dims,
                                          const RaggedDotOptions& options);

// Cotangents of the operands.
struct RaggedDotGradients {
  Tensor lhs, rhs;  // same shapes and types as the operands
};
// Returns the vector-Jacobian product. cotangent: cotangent of the result, with its shape and type.
// Fails like ragged_dot_general(), for a cotangent of another shape, with ErrorCode::invalid_type
// for a cotangent of another type or integer operands, and with ErrorCode::unsupported unless the
// mode is NonContracting.
Expected<RaggedDotGradients> ragged_dot_vjp(const Tensor& cotangent, const Tensor& lhs,
                                            const Tensor& rhs, const Tensor& group_sizes,
                                            const RaggedDotDims& dims,
                                            const RaggedDotOptions& options = {});

// Compares `out` with the reference in f64. The other arguments must be those of the call; the
// verdict is not ok if they are not valid or `out` has a wrong shape.
Verdict check_ragged_dot(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes,
                         const RaggedDotDims& dims, const RaggedDotOptions& options,
                         const Tensor& out, const CheckOptions& how);

}  // namespace tessera
