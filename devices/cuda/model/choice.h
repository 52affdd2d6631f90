// Which configurations a GPU offers for a product, and why in this order.
#pragma once
#include <cstddef>
#include <vector>

#include "devices/device.h"

namespace tessera::cuda {

// Whether the fast kernels run here; without a GPU the kernels are those of sm_90.
bool has_fast_kernels();
// Whether the program has a kernel that answers to what is asked; the reason when not.
Support can_lower(const Program& program, const PrepareOptions& how);

// At most `most` of the configurations: of those with which the product's kernel is a fast one, by
// the model's order; where there is none, the tiles of all without hints, for the general kernel.
// Where the caller fixed the slots, those that have room for them are first; where the kernel is
// not known, all are as good as fast.
std::vector<ConfigChoice> ranked_choices(const ConfigQuery& query, std::size_t most = SIZE_MAX);

}  // namespace tessera::cuda
