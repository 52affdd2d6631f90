// What a grouped GEMM scales its products by and adds to them: alpha, beta * c, bias.
#pragma once
#include "core/report/expected.h"
#include "kernels/grouped_gemm/call.h"

namespace tessera {

// call.factor and call.beta, f32 of a value for each group, and whether c is read. alpha and beta
// are f32 [groups], c of the result's shape and type, bias f32, bf16 or f16 [groups, columns];
// errors are others, scales of operands whose product f32 does not hold, a bias where columns are
// ragged, a beta without c or c without beta, a
// group_offset, and fewer than one input buffer.
Expected<void> take_linear_terms(GroupedGemmCall& call, const GroupedGemmOptions& options);

}  // namespace tessera
