// Configurations of a product on a simulated machine: the default, and candidates for tuning.
#pragma once
#include <vector>

#include "devices/device.h"
#include "devices/profiles/profile.h"

namespace tessera {

// Returns the profile's tiling.
ConfigChoice simulated_choice(const ConfigQuery& query, const Profile& profile);
// Returns simulated_choice() and ejKernel's nine configurations, clamped to the product, without
// duplicates. If vmem is too small for these, the tiles of the CUDA kernels are used instead.
std::vector<ConfigChoice> simulated_candidates(const ConfigQuery& query, const Profile& profile);

}  // namespace tessera
