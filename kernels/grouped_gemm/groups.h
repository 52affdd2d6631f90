// How the groups cut the operands of a grouped GEMM.
#pragma once
#include "core/report/expected.h"
#include "kernels/grouped_gemm/call.h"

namespace tessera {

// The matrices of all groups (call.left, call.right), which of their extents are ragged and how
// (call.product.sizes), of operands whose axes are merged. An lhs without sizes whose contraction
// rhs cuts takes those of rhs. Errors are a ragged axis that one operand contracts and the other
// does not, sizes that are negative or differ between the operands, and a sum that does not fit
// into the extent; on path V1, and where last dims are ragged, one that does not fill it, too.
// Columns are ragged only beside a ragged contraction: other ones are refused.
Expected<void> cut_into_groups(GroupedGemmCall& call, const GroupedGemmOptions& options);

// call.product.n, 0 where columns are ragged; an error where the contraction has another extent in
// lhs than in rhs.
Expected<void> check_extents(GroupedGemmCall& call);

}  // namespace tessera
