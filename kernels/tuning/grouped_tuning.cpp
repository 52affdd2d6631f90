#include "kernels/tuning/grouped_tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/program/program.h"
#include "core/report/try.h"
#include "devices/devices.h"
#include "kernels/tuning/device_tuning.h"

namespace tessera {
namespace {

using Config = GroupedMatmulConfig;

constexpr std::string_view key_version = "1";  // version of the kernel texts and of the time model

std::int64_t largest_of(const GroupedTuningProblem& problem) {
  const auto& sizes = problem.desc.sizes;
  return sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
}

std::int64_t rows_of(const GroupedTuningProblem& problem) {
  return std::accumulate(problem.desc.sizes.begin(), problem.desc.sizes.end(), std::int64_t{0});
}

// Rounds up to a power of two; 0 stays 0.
std::int64_t bucket(std::int64_t value) {
  return value <= 0 ? 0
                    : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}

std::int64_t mean_of(const GroupedTuningProblem& problem) {
  const std::int64_t groups = std::max<std::int64_t>(problem.desc.groups(), 1);
  return (rows_of(problem) + groups - 1) / groups;
}

// Returns 1 if more than half of the groups have rows, 2 if more than a quarter have, 4 ...
std::int64_t groups_to_a_filled_one(const GroupedTuningProblem& problem) {
  const auto& sizes = problem.desc.sizes;
  const std::int64_t filled = problem.desc.groups() - std::count(sizes.begin(), sizes.end(), 0);
  if (filled == 0) return std::max<std::int64_t>(problem.desc.groups(), 1);
  return static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(problem.desc.groups() / filled)));
}

std::string device_key(const GroupedTuningProblem& problem) {
  if (const Device* device = problem.device()) return device->version_key(problem.device_options());
  return fmt::format("{}|{}", name(problem.platform), key_version);
}

}  // namespace

std::string_view GroupedTuningProblem::algorithm() const {
  return desc.is_tgmm() ? "transposed_grouped_matmul"
         : use_v2       ? "grouped_matmulv2"
                        : "grouped_matmul";
}

GroupedTuningProblem grouped_problem(const Device& device, const GroupedDesc& desc,
                                     const DeviceOptions& options) {
  GroupedTuningProblem result{Platform(device.name()), profile_of(options.profile), desc};
  result.desc.group_offset = 0;  // skipped groups have no cost
  return result;
}

const Device* GroupedTuningProblem::device() const {
  const Expected<const Device*> found = find_device(name(platform));
  return found ? *found : nullptr;
}

OperationKey grouped_key(const GroupedTuningProblem& problem) {
  const GroupedDesc& d = problem.desc;
  const std::string rhs = d.is_tgmm()       ? fmt::format("{},{}", d.m, d.n)
                          : d.transpose_rhs ? fmt::format("{},{},{}", d.local_groups, d.n, d.k)
                                            : fmt::format("{},{},{}", d.local_groups, d.k, d.n);
  const std::string lhs =
      d.is_tgmm() ? fmt::format("{},{}", d.k, d.m) : fmt::format("{},{}", d.m, d.k);
  return {
      device_key(problem), fmt::format("{}@v{}", problem.algorithm(), key_version),
      fmt::format(
          "lhs={}[{}] rhs={}[{}] groups={} local_groups={} largest<={} mean<={} filled=1/{} "
          "out={} "
          "transpose_rhs={} rows={} existing={} precision={}",
          name(d.lhs), lhs, name(d.rhs), rhs, d.groups(), d.local_groups,
          bucket(largest_of(problem)), bucket(mean_of(problem)), groups_to_a_filled_one(problem),
          name(d.out), d.transpose_rhs ? 1 : 0, d.local_rows ? "local" : "global",
          !d.existing                              ? "none"
          : *d.existing == ExistingOut::Accumulate ? "accumulate"
                                                   : "overwrite",
          name(d.precision))};
}

std::vector<ConfigChoice> grouped_candidates(const GroupedTuningProblem& problem) {
  const ConfigQuery query = config_query(multiplied_desc(problem));
  std::vector<ConfigChoice> all;
  if (const Device* const device = problem.device())
    all = device->candidates(query, problem.device_options());
  if (all.empty()) all.push_back(device_choice(problem, query));
  return all;
}

Expected<void> check_use(const GroupedTuningProblem& problem, const GroupedMatmulConfig& config) {
  if (config.platform != Platform::Auto && config.platform != problem.platform) {
    return error(fmt::format("the config is for platform {}, and this runs on {}",
                             name(config.platform), name(problem.platform)));
  }
  TRY(check_platform(config, problem.platform));
  if (config.kernel.align && problem.desc.is_tgmm())
    return error("align is for gmm; tgmm's tiles start at multiples of the tile's m");
  if (config.kernel.buffers > max_window_depth) {
    return error(fmt::format("config field num_stages is at most {}, got {}", max_window_depth,
                             config.kernel.buffers));
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
  // Middle of the bucket, which contains the sizes in (bucket / 2, bucket].
  const std::int64_t largest = bucket(largest_of(problem)) * 3 / 4;
  result.desc.sizes = representative_sizes(rows, problem.desc.groups(), largest,
                                           problem.desc.groups() / groups_to_a_filled_one(problem));
  return result;
}

double least_seconds(const GroupedTuningProblem& problem, const GroupedMatmulConfig& config) {
  const GroupedDesc& p = problem.desc;
  const Tiling& tiling = config.kernel.tiling;
  const MachineProfile& machine = problem.profile.machine;
  const auto tiles = [](std::int64_t size, std::int64_t tile) { return (size + tile - 1) / tile; };
  const double rows = static_cast<double>(rows_of(problem)), k = static_cast<double>(p.k),
               n = static_cast<double>(p.n);
  const auto tiles_k = static_cast<double>(tiles(p.k, tiling.k));
  const auto tiles_n = static_cast<double>(tiles(p.n, tiling.n));
  double visits = 0, filled = 0;
  for (const std::int64_t size : p.sizes) {
    visits += static_cast<double>(tiles(size, tiling.m));
    filled += size > 0 ? 1 : 0;
  }
  const double lhs = size_of(p.lhs), rhs = size_of(p.rhs), out = size_of(p.out);
  double flops = 2 * rows * k * n, bytes = 0;
  if (p.is_tgmm()) {
    bytes = rows * k * tiles_n * lhs + rows * n * tiles_k * rhs +
            static_cast<double>(p.local_groups) * k * n * out;
  } else {
    flops = 2 * visits * static_cast<double>(tiling.m) * k * n;
    bytes =
        rows * k * tiles_n * lhs + (tiles_k > 1 ? visits : filled) * k * n * rhs + rows * n * out;
  }
  // Uses the rate of the fastest type, because the result is a lower bound.
  const MachineRates& rates = problem.profile.rates;
  const double speed = std::max({1.0, rates.i8_speed, rates.fp8_speed});
  const double products = machine.matmul_flops > 0 ? flops / (machine.matmul_flops * speed) : 0;
  const double moves = machine.hbm_bandwidth > 0 ? bytes / machine.hbm_bandwidth : 0;
  return std::max(products, moves);
}

std::string measure_name(const GroupedTuningProblem& problem) {
  if (const Device* device = problem.device()) return device->time_source(problem.device_options());
  return fmt::format("measured on {}", name(problem.platform));
}

}  // namespace tessera
