// The configurations of a product on a simulated machine: what runs, and what tuning tries.
#pragma once
#include <vector>

#include "devices/device.h"
#include "devices/profiles/profile.h"

namespace tessera {

// The profile's own tiling.
ConfigChoice simulated_choice(const ConfigQuery& query, const Profile& profile);
// simulated_choice() first, then ejKernel's nine (on a machine whose vmem does not hold them, the
// tiles of the CUDA kernels), clamped to the product, each once.
std::vector<ConfigChoice> simulated_candidates(const ConfigQuery& query, const Profile& profile);

}  // namespace tessera
