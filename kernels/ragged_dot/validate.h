// A ragged dot product judged before anything runs.
#pragma once
#include "core/report/expected.h"
#include "kernels/ragged_dot/call.h"

namespace tessera {

// The call with its operands' axes merged. The first thing that is wrong is the error: axes,
// groups, types, extents, then group sizes.
Expected<RaggedCall> validate_ragged_dot(const Tensor& lhs, const Tensor& rhs,
                                         const Tensor& group_sizes, const RaggedDotDims& dims,
                                         const RaggedDotOptions& options);

}  // namespace tessera
