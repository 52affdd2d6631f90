// Alignment of the contraction of quantised operands.
#pragma once
#include "core/report/expected.h"
#include "kernels/grouped_gemm/call.h"

namespace tessera {

// Checks the contracted extent of each operand, for each group if it is ragged. It must be a
// multiple of 16 under tensor scaling, as cuBLAS requires for fp8, and of 32 under MXFP8, the
// number of elements that share a scale. Without scaling, any extent is accepted. mode: mode of
// both operands, also before they are quantised. The operands must be divided into groups. Errors
// have the operand, the extent and the group.
Expected<void> check_alignment(const GroupedGemmCall& call, ScalingMode mode);

}  // namespace tessera
