// What the contraction of quantised operands must be a multiple of.
#pragma once
#include "core/report/expected.h"
#include "kernels/grouped_gemm/call.h"

namespace tessera {

// Whether the contraction of each operand, of each group where it is ragged, is a multiple of 16
// elements under tensor scaling, as cuBLAS asks of fp8, and of the 32 that share a scale under
// MXFP8. `mode` is that of both operands, before or after they are quantised; they are cut into
// groups. Without scaling any contraction will do. An error says the operand, the extent and the
// group.
Expected<void> check_alignment(const GroupedGemmCall& call, ScalingMode mode);

}  // namespace tessera
