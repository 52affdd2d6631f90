// The configurations that tuning tries on a simulated machine.
#pragma once
#include <vector>

#include "devices/device.h"
#include "devices/profiles/profile.h"

namespace tessera {

// The profile's own tiling first, then ejKernel's nine (on a machine whose vmem does not hold them,
// the tiles of the CUDA kernels), clamped to the product, each once.
std::vector<ConfigChoice> simulated_candidates(const GroupedDesc& desc, const Profile& profile);

}  // namespace tessera
