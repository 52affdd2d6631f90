// Linear terms of a grouped GEMM: alpha, beta * c, bias.
#pragma once
#include "core/report/expected.h"
#include "kernels/grouped_gemm/call.h"

namespace tessera {

// Sets call.factor and call.beta, f32 with one value per group, and call.reads_c (true if a beta is
// not 0). Requires shape_result(). alpha and beta must be f32 [groups], c must have the result's
// shape and type, and bias must be f32, bf16 or f16 [groups, columns]. Also fails for operand
// scales with a product beyond f32, a bias if columns are ragged (ErrorCode::unsupported), a
// nonzero beta without c, c without beta, a group_offset (ErrorCode::runtime), and
// input_buffer_count below 1.
Expected<void> take_linear_terms(GroupedGemmCall& call, const GroupedGemmOptions& options);

}  // namespace tessera
