// Conversion of operands of any rank to matrices: the axes that are merged on each side.
#pragma once
#include "core/report/expected.h"
#include "kernels/grouped_gemm/call.h"

namespace tessera {

// Sets the boundaries at which axes are merged, lhs_is_trans and rhs_is_trans. Requires
// check_data_and_modes() and count_groups(). The contracted axes must be consecutive and at one end
// of the axes (after the groups, for weights [groups, ...]), and at least one axis must remain.
// Also fails if the data and the shape differ in their number of elements, and if weights have
// another number of groups.
Expected<void> merge_axes(GroupedGemmCall& call, const GroupedGemmOptions& options);

// Computes the shape of the result: the axes of lhs, then of rhs, that are not contracted. The
// groups come first if only the contraction is ragged; the shape is (1, elements) if rows and
// columns are ragged. Sets call.out_shape, its rows in call.product, and the sizes of its groups.
// Requires check_types() and cut_into_groups(). Fails if the result has 2^63 bytes or more.
Expected<void> shape_result(GroupedGemmCall& call, const GroupedGemmOptions& options);

}  // namespace tessera
