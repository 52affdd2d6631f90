// Checks of the operands of a grouped GEMM: data, scaling modes, sizes, types.
#pragma once
#include "core/report/expected.h"
#include "kernels/grouped_gemm/call.h"

namespace tessera {

// Checks that both operands have data, shapes that fit into memory, the same dq_dtype, and the
// same, supported scaling mode. Fails with ErrorCode::unsupported for NVFP4, and with
// ErrorCode::invalid_type if only one operand has scales.
Expected<void> check_data_and_modes(const GroupedGemmCall& call);

// Sets the number of groups of call.product to the length of the first nonempty array of sizes. All
// arrays must be i32 [groups], or null or empty if the groups are equal. Fails without groups, and
// for an operand that is ragged along both sides and not filled by its groups.
Expected<void> count_groups(GroupedGemmCall& call);

// Sets the types of call.product. The operands must be quantised if the options have quantizers.
// Fails for scales that do not fit the mode (missing or not expected) and MXFP8 scales that are not
// swizzled; with ErrorCode::invalid_type for types that are not multiplied and elements of another
// type than the mode's; and with ErrorCode::unsupported for a result that is not f32, bf16 or f16.
Expected<void> check_types(GroupedGemmCall& call, const GroupedGemmOptions& options);

}  // namespace tessera
