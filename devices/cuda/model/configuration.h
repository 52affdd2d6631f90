// The configurations of gmm and tgmm on sm_90, as data: the model ranks them (grouped_model.h),
// tuning measures them, and the compiler tests check them.
#pragma once
#include <vector>

#include "core/kernel/kernel_config.h"

namespace tessera::cuda {

// Return all candidates for a choice, with the max number of buffers that fits, up to 8; each of
// them compiles without spills. In tiles of tgmm, m is the step along the contraction.
// operand_bytes = 1: operands of e4m3 and e5m2.
std::vector<KernelConfig> gmm_candidates(int operand_bytes = 2);
std::vector<KernelConfig> tgmm_candidates();

}  // namespace tessera::cuda
