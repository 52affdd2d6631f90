// Operands of any rank as matrices: which axes are merged on which side.
#pragma once
#include "core/report/expected.h"
#include "kernels/grouped_gemm/call.h"

namespace tessera {

// Where the axes of both operands are merged, and on which side the contraction is: of call, the
// boundaries, lhs_is_trans and rhs_is_trans. The contracted axes follow each other at one end, of
// weights [groups, ...] after the groups, and leave an axis; errors are others, data that is not of
// the shape's elements, and weights of another number of groups.
Expected<void> merge_axes(GroupedGemmCall& call, const GroupedGemmOptions& options);

// The result's shape: what is not contracted of lhs, then of rhs, with the groups first where it is
// ragged in neither; (1, elements) where it is ragged in both. Sets call.out_shape, its rows in
// call.product, and the sizes of its groups, of operands that are cut into groups. An error is a
// result of more bytes than 2^63.
Expected<void> shape_result(GroupedGemmCall& call, const GroupedGemmOptions& options);

}  // namespace tessera
