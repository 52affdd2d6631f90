// Model of the time of a grouped matmul on a GPU, from the data that a configuration moves and
// multiplies for the given groups. A search for the best configuration starts with its ranking;
// without a search its first choice is used. Parameters: gpu_figures.h.
// From a description it uses the extents, the group sizes and the element widths: operands of tgmm
// have two bytes, operands of gmm have the width of lhs.
#pragma once
#include <vector>

#include "core/kernel/grouped_desc.h"
#include "core/kernel/kernel_config.h"
#include "devices/cuda/model/gpu_figures.h"

namespace tessera::cuda {

// Returns the estimated seconds from launch to result.
double estimate_seconds(const GroupedDesc& desc, const KernelConfig& config,
                        const GpuFigures& gpu = {});

struct Estimate {
  KernelConfig config;
  double seconds = 0;
};
// Returns all candidates for a product with their estimates, best estimate first.
std::vector<Estimate> estimates(const GroupedDesc& desc, const GpuFigures& gpu = {});

}  // namespace tessera::cuda
