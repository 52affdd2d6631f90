// The order of axes in which kernels take the operands of a ragged dot product.
#pragma once
#include "kernels/ragged_dot/axes.h"
#include "kernels/ragged_dot/call.h"

namespace tessera {

// The orders and the extents of `call`, of arguments that were checked, and the result's shape. rhs
// that lies as [groups, n, k] in one batch entry is taken so: call.transpose_rhs.
void order_operands(const RaggedArguments& given, const RaggedAxes& axes, RaggedCall& call);

}  // namespace tessera
