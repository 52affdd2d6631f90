// What the operands of a grouped GEMM are by themselves: data, modes of scaling, sizes, types.
#pragma once
#include "core/report/expected.h"
#include "kernels/grouped_gemm/call.h"

namespace tessera {

// Whether both operands have data of a shape that memory can have, the same dq_dtype, and the same
// mode of scaling, which is one that can be had. An error names the operand or both modes.
Expected<void> check_data_and_modes(const GroupedGemmCall& call);

// How many groups call.product has: as many as the first array of sizes has. All arrays are i32
// [groups] or, where the groups are equal, empty. Errors are other shapes and types, no groups at
// all, and an operand ragged along both sides whose groups do not fill it.
Expected<void> count_groups(GroupedGemmCall& call);

// The types of call.product, of operands that are quantised already. Errors are types that are not
// multiplied, scales where the mode has none or none where it has them, elements of another type
// than the mode's, MXFP8 scales that are not swizzled, and a result that is not f32, bf16 or f16.
Expected<void> check_types(GroupedGemmCall& call, const GroupedGemmOptions& options);

}  // namespace tessera
