// Validation of a ragged dot product.
#pragma once
#include "core/report/expected.h"
#include "kernels/ragged_dot/call.h"

namespace tessera {

// Returns the call with its operands' axes merged. Fails with the first error, checked in the order
// axes, groups, types, extents, group sizes.
Expected<RaggedCall> validate_ragged_dot(const Tensor& lhs, const Tensor& rhs,
                                         const Tensor& group_sizes, const RaggedDotDims& dims,
                                         const RaggedDotOptions& options);

}  // namespace tessera
