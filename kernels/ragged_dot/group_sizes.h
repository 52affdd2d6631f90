// Groups of a ragged dot product: their number, sizes, and the computed range.
#pragma once
#include "kernels/ragged_dot/axes.h"
#include "kernels/ragged_dot/call.h"

namespace tessera {

// Sets the number of groups of call.product. The sizes must be [groups] or, if the batch is not
// ragged, [batch, axes before the ragged one, groups]; if it is, [batch axes before the ragged one,
// groups]. Fails with ErrorCode::invalid_type for other shapes.
Expected<void> count_groups(const RaggedArguments& given, const RaggedAxes& axes, RaggedCall& call);

// Sets call.product.local_groups to the number of groups of rhs, which must be all groups unless
// there is a group_offset. Does nothing if rhs has no group axis.
Expected<void> count_matrices(const RaggedArguments& given, RaggedCall& call);

// Sets the range of computed groups, call.product.group_offset and local_groups. Requires
// count_groups() and count_matrices(). Fails for an empty range, a range that exceeds the groups,
// and options that the mode does not have (group_offset of a ragged batch: ErrorCode::unsupported).
Expected<void> take_window(const RaggedArguments& given, RaggedCall& call);

// Sets call.group_sizes and call.product.sizes. Sizes [groups] are repeated for each batch entry
// and outer index, unless the batch is ragged. Requires order_operands(). Fails for negative sizes,
// and for a sum above the ragged extent.
Expected<void> take_sizes(const RaggedArguments& given, RaggedCall& call);

}  // namespace tessera
