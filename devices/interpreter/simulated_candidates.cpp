#include "devices/interpreter/simulated_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "devices/cuda/model/configuration.h"

namespace tessera {
namespace {

// m, n, k: ejKernel's candidates.
constexpr std::int64_t blocks[][3] = {{128, 128, 128},   {256, 256, 128},   {512, 512, 128},
                                      {512, 512, 256},   {512, 512, 512},   {1024, 1024, 128},
                                      {1024, 1024, 256}, {1024, 1024, 512}, {1024, 1024, 1024}};

bool fits(const GroupedDesc& desc, const KernelConfig& config, std::int64_t vmem_bytes) {
  const Tiling& t = config.tiling;
  const std::int64_t operands =
      config.buffers * t.k * (t.m * size_of(desc.lhs) + t.n * size_of(desc.rhs));
  const std::int64_t results = t.m * t.n * (4 + 2 * size_of(desc.out));
  return operands + results <= vmem_bytes;
}

}  // namespace

ConfigChoice simulated_choice(const ConfigQuery& query, const Profile& profile) {
  return {{profile.tiling, query.buffers.value_or(KernelConfig{}.buffers), {}, {}},
          {},
          fmt::format("the tiling of profile {}", profile.machine.name)};
}

std::vector<ConfigChoice> simulated_candidates(const ConfigQuery& query, const Profile& profile) {
  const GroupedDesc& desc = query.desc;
  std::vector<ConfigChoice> result;
  const auto add = [&](ConfigChoice choice) {
    KernelConfig& own = choice.config;
    own = clamped(own, desc.k, desc.n);
    own.buffers = query.buffers.value_or(own.buffers);
    // Blocks of more than 2 * m rows would only add padding.
    while (own.tiling.m / 2 >= std::max<std::int64_t>(desc.m, 8)) own.tiling.m /= 2;
    const bool is_known = std::any_of(result.begin(), result.end(),
                                      [&](const ConfigChoice& c) { return c.config == own; });
    if (!is_known) result.push_back(std::move(choice));
  };
  add(simulated_choice(query, profile));
  if (fits(desc, KernelConfig{}, profile.machine.vmem_bytes)) {
    for (const auto& [m, n, k] : blocks)
      add({{.tiling = {m, k, n}}, {}, "from ejKernel's candidates"});
    return result;
  }
  for (const KernelConfig& c : desc.is_tgmm() ? cuda::tgmm_candidates() : cuda::gmm_candidates())
    add({{.tiling = c.tiling, .buffers = c.buffers}, {}, "from the CUDA kernels' candidates"});
  return result;
}

}  // namespace tessera
