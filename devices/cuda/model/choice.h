// Ranking of the configurations that a GPU offers for a product.
#pragma once
#include <cstddef>
#include <vector>

#include "devices/device.h"

namespace tessera::cuda {

// True if the fast kernels run on this machine. True without a GPU: kernels are then for sm_90.
bool has_fast_kernels();
// Returns ok if the program has a kernel that satisfies `how`, else the reason.
Support can_lower(const Program& program, const PrepareOptions& how);

// Returns at most `most` configurations, in the model's order. If the product has fast kernels:
// only configurations with a fast kernel. Otherwise: the tiles of all configurations without hints,
// for the general kernel, without estimated times. If the caller fixed the number of buffers,
// configurations with enough room for them come first. Without query.kernel, all configurations
// count as fast.
std::vector<ConfigChoice> ranked_choices(const ConfigQuery& query, std::size_t most = SIZE_MAX);

}  // namespace tessera::cuda
