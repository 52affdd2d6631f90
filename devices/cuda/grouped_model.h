// How long a grouped matmul should take on a GPU, by counting what a configuration moves and
// multiplies for the groups at hand: where a search for the best configuration starts, and what is
// taken when nobody has searched. Its figures are published ones; none has been fitted to a
// measurement yet.
#pragma once
#include <cstdint>
#include <vector>

#include "core/expected.h"
#include "devices/cuda/tuning.h"

namespace tessera::cuda {

struct GroupedShape {
  bool is_tgmm = false;
  std::int64_t m = 0, k = 0, n = 0;
  std::vector<std::int64_t> sizes;  // of the groups
  int out_bytes = 2;                // of a result's element; operands have two bytes
};
// Sizes that nobody knows yet: about m / groups rows each, spread as independent rows are.
GroupedShape expected_shape(bool is_tgmm, std::int64_t m, std::int64_t k, std::int64_t n,
                            std::int64_t groups);

// What the estimate takes of a machine.
struct GpuFigures {
  int multiprocessors = 132;
  double clock = 1.45e9;             // Hz, held under full load
  double products_a_clock = 2048;    // multiply-adds of a multiprocessor, two-byte operands
  double l2_bytes_a_clock = 64;      // into one multiprocessor's shared memory, all at work
  double copy_interference = 0.25;   // of the copies' time: what products lose to them
  double memory_interference = 0.1;  // of the shorter of memory's and multiprocessors' time
  double store_bytes_a_clock = 48;   // of an epilogue
  double memory_bytes_a_second = 4.3e12;
  double launch_seconds = 5e-6;  // until the first product
};
// Figures of H100 and H200 by the device's name.
GpuFigures gpu_figures(const std::string& device_name);

// Seconds from launch to result.
double estimate_seconds(const GroupedShape& shape, const Configuration& configuration,
                        const GpuFigures& gpu = {});

// All that a choice is made from; every one of them compiles without spills.
std::vector<Configuration> gmm_candidates();
std::vector<Configuration> tgmm_candidates();

struct Estimate {
  Configuration configuration;
  double seconds = 0;
};
// The candidates for a shape, the most promising first.
std::vector<Estimate> estimates(const GroupedShape& shape, const GpuFigures& gpu = {});
// The first of them.
Configuration estimated_best(const GroupedShape& shape, const GpuFigures& gpu = {});

}  // namespace tessera::cuda
