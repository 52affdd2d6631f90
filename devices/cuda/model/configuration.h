// The configurations with which gmm and tgmm are launched on sm_90, as data: what the model ranks
// (grouped_model.h), tuning measures and the compiler gates hold.
#pragma once
#include <vector>

#include "core/kernel/kernel_config.h"

namespace tessera::cuda {

// All that a choice is made from; every one of them compiles without spills. Tiles of tgmm have
// their step along the contraction as m. Operands of one byte are those of e4m3 and e5m2.
std::vector<KernelConfig> gmm_candidates(int operand_bytes = 2);
std::vector<KernelConfig> tgmm_candidates();

}  // namespace tessera::cuda
