// Division of the operands of a grouped GEMM into groups.
#pragma once
#include "core/report/expected.h"
#include "kernels/grouped_gemm/call.h"

namespace tessera {

// Computes the matrices of all groups (call.left, call.right), the ragged extents and their sizes
// (call.product.sizes). The axes must be merged. A transposed lhs without sizes uses the sizes of a
// ragged contraction of rhs. Fails if the contraction is ragged in one operand only, if sizes are
// negative or differ between the operands, or if their sum exceeds the extent. On path V1, and if
// last dims are ragged, the sum must equal the extent. Fails with ErrorCode::unsupported if columns
// are ragged and the contraction is not.
Expected<void> cut_into_groups(GroupedGemmCall& call, const GroupedGemmOptions& options);

// Sets call.product.n (0 if columns are ragged) and the contracted extent: call.product.m of tgmm,
// or call.product.k of gmm unless the contraction is ragged. Requires cut_into_groups(). Fails if
// the contracted extents of lhs and rhs differ.
Expected<void> check_extents(GroupedGemmCall& call);

}  // namespace tessera
