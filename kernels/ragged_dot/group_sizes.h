// The groups of a ragged dot product: how many, which of them are computed, and their sizes.
#pragma once
#include "kernels/ragged_dot/axes.h"
#include "kernels/ragged_dot/call.h"

namespace tessera {

// How many groups call.product has, of sizes [groups] or [batch, axes before the ragged one,
// groups] for a batch that is not ragged, [batch axes before the ragged one, groups] for one that
// is. Another shape is an error.
Expected<void> count_groups(const RaggedArguments& given, const RaggedAxes& axes, RaggedCall& call);

// call.product.local_groups: as many as rhs has; without a group_offset they are all. Where rhs has
// no axis of groups nothing is counted.
Expected<void> count_matrices(const RaggedArguments& given, RaggedCall& call);

// call.product.group_offset and local_groups: from which group on, and how many are computed.
// Errors are a window that the groups do not hold, and options that the mode has no use for.
Expected<void> take_window(const RaggedArguments& given, RaggedCall& call);

// call.group_sizes, repeated for each prefix where they are shared, and those of call.product; the
// call has its extents.
// Errors are negative sizes, and ones that sum to more than the ragged extent.
Expected<void> take_sizes(const RaggedArguments& given, RaggedCall& call);

}  // namespace tessera
