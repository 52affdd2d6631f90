// Configurations of a product on a simulated machine: the default, and candidates for tuning.
#pragma once
#include <vector>

#include "devices/device.h"
#include "devices/profiles/profile.h"

namespace tessera {

// Returns the profile's tiling, with the query's number of buffers and without an estimated time.
ConfigChoice simulated_choice(const ConfigQuery& query, const Profile& profile);
// Returns simulated_choice() and ejKernel's nine configurations, clamped to the product, without
// duplicates. If vmem is too small for the default tiles of KernelConfig, the tiles of the CUDA
// kernels replace the nine.
std::vector<ConfigChoice> simulated_candidates(const ConfigQuery& query, const Profile& profile);

}  // namespace tessera
