// Order of axes in which the kernels accept the operands of a ragged dot product.
#pragma once
#include "kernels/ragged_dot/axes.h"
#include "kernels/ragged_dot/call.h"

namespace tessera {

// Sets the orders and extents of `call`, and the shape of the result. The arguments must be
// validated. If there is one product and rhs is stored as [groups, n, k], rhs keeps this order and
// call.product.transpose_rhs is set.
void order_operands(const RaggedArguments& given, const RaggedAxes& axes, RaggedCall& call);

}  // namespace tessera
