#include "kernels/tuning/grouped_tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/program/program.h"
#include "devices/cuda/model/configuration.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/driver.h"
#include "kernels/tuning/cuda_tuning.h"

namespace tessera {
namespace {

using Config = GroupedMatmulConfig;

constexpr std::string_view key_version = "1";  // of the kernels' texts and of the model of time

// block_m, block_n, block_k: ejKernel's candidates.
constexpr std::int64_t blocks[][3] = {{128, 128, 128},   {256, 256, 128},   {512, 512, 128},
                                      {512, 512, 256},   {512, 512, 512},   {1024, 1024, 128},
                                      {1024, 1024, 256}, {1024, 1024, 512}, {1024, 1024, 1024}};

std::int64_t largest_of(const GroupedTuningProblem& problem) {
  const auto& sizes = problem.group_sizes;
  return sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
}

std::int64_t rows_of(const GroupedTuningProblem& problem) {
  return std::accumulate(problem.group_sizes.begin(), problem.group_sizes.end(), std::int64_t{0});
}

// The next power of two; 0 is its own bucket.
std::int64_t bucket(std::int64_t value) {
  return value <= 0 ? 0
                    : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}

std::int64_t mean_of(const GroupedTuningProblem& problem) {
  const std::int64_t groups = std::max<std::int64_t>(problem.groups(), 1);
  return (rows_of(problem) + groups - 1) / groups;
}

// 1 when more than half of the groups have rows, 2 when more than a quarter has, 4 ...
std::int64_t groups_to_a_filled_one(const GroupedTuningProblem& problem) {
  const auto& sizes = problem.group_sizes;
  const std::int64_t filled = problem.groups() - std::count(sizes.begin(), sizes.end(), 0);
  if (filled == 0) return std::max<std::int64_t>(problem.groups(), 1);
  return static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(problem.groups() / filled)));
}

std::string device_key(const GroupedTuningProblem& problem) {
  if (problem.platform == Platform::Interpreter)
    return fmt::format("interpreter {}|{}", problem.profile.machine.text(), key_version);
  if (problem.platform == Platform::Cuda) {
    const std::string& gpu = cuda::device_facts().name;
    return fmt::format("cuda {}|{}", gpu.empty() ? "without a GPU" : gpu, cuda::compiler_version());
  }
  return fmt::format("{}|{}", name(problem.platform), key_version);
}

bool fits(const GroupedTuningProblem& problem, const Config& config) {
  const std::int64_t operands =
      config.num_stages * config.block_k *
      (config.block_m * size_of(problem.lhs) + config.block_n * size_of(problem.rhs));
  const std::int64_t results = config.block_m * config.block_n * (4 + 2 * size_of(problem.out));
  return operands + results <= problem.profile.machine.vmem_bytes;
}

}  // namespace

OperationKey grouped_key(const GroupedTuningProblem& p) {
  const bool is_transposed = p.is_transposed();
  const std::string rhs = is_transposed     ? fmt::format("{},{}", p.m, p.n)
                          : p.transpose_rhs ? fmt::format("{},{},{}", p.local_groups, p.n, p.k)
                                            : fmt::format("{},{},{}", p.local_groups, p.k, p.n);
  const std::string lhs =
      is_transposed ? fmt::format("{},{}", p.k, p.m) : fmt::format("{},{}", p.m, p.k);
  return {device_key(p), fmt::format("{}@v{}", p.algorithm, key_version),
          fmt::format(
              "lhs={}[{}] rhs={}[{}] groups={} local_groups={} largest<={} mean<={} filled=1/{} "
              "out={} "
              "transpose_rhs={} rows={} existing={} precision={}",
              name(p.lhs), lhs, name(p.rhs), rhs, p.groups(), p.local_groups, bucket(largest_of(p)),
              bucket(mean_of(p)), groups_to_a_filled_one(p), name(p.out), p.transpose_rhs ? 1 : 0,
              p.local_rows ? "local" : "global",
              p.accumulates  ? "accumulate"
              : p.overwrites ? "overwrite"
                             : "none",
              p.precision)};
}

GroupedMatmulConfig grouped_heuristic(const GroupedTuningProblem& problem) {
  if (problem.platform == Platform::Cuda) return cuda_candidates(problem, 1).front().config;
  Config config;
  const Tiling& tiling = problem.profile.tiling;
  config.block_m = tiling.m;
  config.block_k = tiling.k;
  config.block_n = tiling.n;
  return config;
}

GroupedMatmulConfig clamped(const GroupedMatmulConfig& config, std::int64_t m, std::int64_t k,
                            std::int64_t n) {
  const auto at_least_one = [](std::int64_t value) { return std::max<std::int64_t>(value, 1); };
  Config result = config;
  const std::int64_t padded =
      (at_least_one(m) + config.block_m - 1) / config.block_m * config.block_m;
  result.block_m = std::min(config.block_m, padded);
  result.block_k = std::min(config.block_k, at_least_one(k));
  result.block_n = std::min(config.block_n, at_least_one(n));
  return result;
}

std::vector<GroupedMatmulConfig> grouped_candidates(const GroupedTuningProblem& problem) {
  std::vector<Config> result;
  if (problem.platform == Platform::Cuda) {
    for (const CudaCandidate& candidate : cuda_candidates(problem))
      result.push_back(candidate.config);
    return result;
  }
  const auto add = [&](const Config& config) {
    Config own = clamped(config, problem.m, problem.k, problem.n);
    // Rows of no group are not worth a tile's: blocks beyond twice m would only be padding.
    while (own.block_m / 2 >= std::max<std::int64_t>(problem.m, 8)) own.block_m /= 2;
    if (std::find(result.begin(), result.end(), own) == result.end()) result.push_back(own);
  };
  const auto add_blocks = [&](std::int64_t m, std::int64_t k, std::int64_t n, std::int64_t stages) {
    Config config;
    config.block_m = m;
    config.block_k = k;
    config.block_n = n;
    config.num_stages = stages;
    add(config);
  };
  add(grouped_heuristic(problem));
  if (fits(problem, Config{})) {
    for (const auto& [m, n, k] : blocks) add_blocks(m, k, n, Config{}.num_stages);
    return result;
  }
  for (const cuda::Configuration& c :
       problem.is_transposed() ? cuda::tgmm_candidates() : cuda::gmm_candidates())
    add_blocks(c.tiling.m, c.tiling.k, c.tiling.n, c.buffers);
  return result;
}

Diags check_use(const GroupedTuningProblem& problem, const GroupedMatmulConfig& config) {
  if (config.platform != Platform::Auto && config.platform != problem.platform) {
    return {error(fmt::format("the config is for platform {}, and this runs on {}",
                              name(config.platform), name(problem.platform)))};
  }
  if (Diags diags = check_platform(config, problem.platform); !diags.empty()) return diags;
  if (config.align && problem.is_transposed())
    return {error("align is for gmm; tgmm's tiles start at multiples of the tile's m")};
  if (config.num_stages > max_window_depth) {
    return {error(fmt::format("config field num_stages is at most {}, got {}", max_window_depth,
                              config.num_stages))};
  }
  return {};
}

std::vector<std::int64_t> representative_sizes(std::int64_t m, std::int64_t groups,
                                               std::int64_t largest, std::int64_t filled) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(std::max<std::int64_t>(groups, 0)));
  if (groups <= 0) return sizes;
  const std::int64_t used = std::clamp<std::int64_t>(filled, 1, groups);
  const std::int64_t even = (m + used - 1) / used;
  sizes[0] = std::min(m, std::max(largest, even));
  std::int64_t rest = m - sizes[0];
  for (std::int64_t g = 1; g < used; ++g) {
    const std::int64_t share = (rest + used - g - 1) / (used - g);
    sizes[static_cast<std::size_t>(g)] = share;
    rest -= share;
  }
  return sizes;
}

GroupedTuningProblem representative(const GroupedTuningProblem& problem) {
  GroupedTuningProblem result = problem;
  const std::int64_t rows = rows_of(problem);
  // The middle of the bucket: sizes are spread over (bucket / 2, bucket].
  const std::int64_t largest = bucket(largest_of(problem)) * 3 / 4;
  result.group_sizes = representative_sizes(rows, problem.groups(), largest,
                                            problem.groups() / groups_to_a_filled_one(problem));
  return result;
}

double least_seconds(const GroupedTuningProblem& p, const GroupedMatmulConfig& config) {
  const MachineProfile& machine = p.profile.machine;
  const auto tiles = [](std::int64_t size, std::int64_t tile) { return (size + tile - 1) / tile; };
  const double rows = static_cast<double>(rows_of(p)), k = static_cast<double>(p.k),
               n = static_cast<double>(p.n);
  const auto tiles_k = static_cast<double>(tiles(p.k, config.block_k));
  const auto tiles_n = static_cast<double>(tiles(p.n, config.block_n));
  double visits = 0, filled = 0;
  for (const std::int64_t size : p.group_sizes) {
    visits += static_cast<double>(tiles(size, config.block_m));
    filled += size > 0 ? 1 : 0;
  }
  const double lhs = size_of(p.lhs), rhs = size_of(p.rhs), out = size_of(p.out);
  double flops = 2 * rows * k * n, bytes = 0;
  if (p.is_transposed()) {
    bytes = rows * k * tiles_n * lhs + rows * n * tiles_k * rhs +
            static_cast<double>(p.local_groups) * k * n * out;
  } else {
    flops = 2 * visits * static_cast<double>(config.block_m) * k * n;
    bytes =
        rows * k * tiles_n * lhs + (tiles_k > 1 ? visits : filled) * k * n * rhs + rows * n * out;
  }
  // No type is faster than its own speed; the model knows them all.
  const MachineRates& rates = p.profile.rates;
  const double speed = std::max({1.0, rates.i8_speed, rates.fp8_speed});
  const double products = machine.matmul_flops > 0 ? flops / (machine.matmul_flops * speed) : 0;
  const double moves = machine.hbm_bandwidth > 0 ? bytes / machine.hbm_bandwidth : 0;
  return std::max(products, moves);
}

std::string measure_name(const GroupedTuningProblem& problem) {
  if (problem.platform == Platform::Interpreter)
    return fmt::format("simulated on {}", problem.profile.machine.name);
  if (problem.platform == Platform::Cuda)
    return fmt::format("measured on {}, {}", cuda::device_text(), cuda::compiler_version());
  return fmt::format("measured on {}", name(problem.platform));
}

}  // namespace tessera
