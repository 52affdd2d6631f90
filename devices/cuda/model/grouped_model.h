// How long a grouped matmul should take on a GPU, by counting what a configuration moves and
// multiplies for the groups at hand: where a search for the best configuration starts, and what is
// taken when nobody has searched. Its figures (gpu_figures.h) are published ones; none has been
// fitted to a measurement yet. Of a description it takes the extents, the sizes of the groups and
// the widths of the elements: tgmm's operands have two bytes each, gmm's have those of lhs.
#pragma once
#include <vector>

#include "core/kernel/grouped_desc.h"
#include "core/kernel/kernel_config.h"
#include "devices/cuda/model/gpu_figures.h"

namespace tessera::cuda {

// Seconds from launch to result.
double estimate_seconds(const GroupedDesc& desc, const KernelConfig& config,
                        const GpuFigures& gpu = {});

struct Estimate {
  KernelConfig config;
  double seconds = 0;
};
// The candidates for a product, the most promising first.
std::vector<Estimate> estimates(const GroupedDesc& desc, const GpuFigures& gpu = {});

}  // namespace tessera::cuda
