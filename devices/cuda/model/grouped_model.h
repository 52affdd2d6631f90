// How long a grouped matmul should take on a GPU, by counting what a configuration moves and
// multiplies for the groups at hand: where a search for the best configuration starts, and what is
// taken when nobody has searched. Its figures (gpu_figures.h) are published ones; none has been
// fitted to a measurement yet.
#pragma once
#include <cstdint>
#include <vector>

#include "devices/cuda/model/configuration.h"
#include "devices/cuda/model/gpu_figures.h"

namespace tessera::cuda {

struct GroupedShape {
  bool is_tgmm = false;
  std::int64_t m = 0, k = 0, n = 0;
  std::vector<std::int64_t> sizes;  // of the groups
  int out_bytes = 2;                // of a result's element
  int operand_bytes = 2;            // 1: e4m3 or e5m2, gmm with transposed weights alone
};
// Sizes that nobody knows yet: about m / groups rows each, spread as independent rows are.
GroupedShape expected_shape(bool is_tgmm, std::int64_t m, std::int64_t k, std::int64_t n,
                            std::int64_t groups);

// Seconds from launch to result.
double estimate_seconds(const GroupedShape& shape, const Configuration& configuration,
                        const GpuFigures& gpu = {});

struct Estimate {
  Configuration configuration;
  double seconds = 0;
};
// The candidates for a shape, the most promising first.
std::vector<Estimate> estimates(const GroupedShape& shape, const GpuFigures& gpu = {});
// The first of them.
Configuration estimated_best(const GroupedShape& shape, const GpuFigures& gpu = {});

}  // namespace tessera::cuda
