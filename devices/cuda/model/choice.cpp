#include "devices/cuda/model/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "devices/cuda/lower/general.h"
#include "devices/cuda/model/gpu_figures.h"
#include "devices/cuda/model/grouped_model.h"
#include "devices/cuda/runtime/driver.h"

namespace tessera::cuda {
namespace {

// True if the configuration has room for this number of buffers. A configuration has the largest
// number that fits, up to the modelled maximum.
bool has_room(const KernelConfig& config, std::int64_t buffers) {
  constexpr std::int64_t max_modelled = 8;
  return buffers <= config.buffers || config.buffers >= max_modelled;
}

std::vector<ConfigChoice> modelled_choices(const ConfigQuery& query) {
  const GpuFigures gpu = gpu_figures(device_facts());
  std::vector<ConfigChoice> all;
  for (const Estimate& each : estimates(query.desc, gpu))
    all.push_back({each.config, each.seconds,
                   fmt::format("number {} of the model for {}", all.size() + 1, gpu.name)});
  if (!query.buffers) return all;
  std::stable_partition(all.begin(), all.end(), [&](const ConfigChoice& choice) {
    return has_room(choice.config, *query.buffers);
  });
  for (ConfigChoice& choice : all) choice.config.buffers = *query.buffers;
  return all;
}

Support has_fast_kernel(const ConfigQuery& query, const KernelConfig& config) {
  const Expected<Program> program = query.kernel(config);
  if (!program) return {false, program.diags().front().message};
  return can_lower(*program, {.hints = config.hints, .require_fast = true});
}

// The first configuration of each tile, without hints and without a time, as the model only covers
// the fast kernels.
std::vector<ConfigChoice> general_choices(std::vector<ConfigChoice> all, const std::string& why,
                                          std::size_t most) {
  std::vector<ConfigChoice> result;
  for (ConfigChoice& choice : all) {
    const bool is_known = std::any_of(result.begin(), result.end(), [&](const ConfigChoice& c) {
      return c.config.tiling == choice.config.tiling;
    });
    if (is_known || result.size() >= most) continue;
    choice.config.hints = {};
    result.push_back({choice.config, {}, fmt::format("there is no fast kernel: {}", why)});
  }
  return result;
}

}  // namespace

bool has_fast_kernels() { return !driver_available().ok || device_facts().has_fast_kernels(); }

Support can_lower(const Program& program, const PrepareOptions& how) {
  const bool is_older = how.require_fast && !has_fast_kernels();
  const Expected<LoweredKernel> plan = lower_as(program, how, !is_older);
  if (plan) return {};
  return {false, plan.diags().front().message};
}

std::vector<ConfigChoice> ranked_choices(const ConfigQuery& query, std::size_t most) {
  std::vector<ConfigChoice> all = modelled_choices(query);
  std::vector<ConfigChoice> fast;
  std::string why;
  for (const ConfigChoice& choice : all) {
    if (fast.size() >= most) return fast;
    const Support can = query.kernel ? has_fast_kernel(query, choice.config) : Support();
    if (can.ok)
      fast.push_back(choice);
    else if (why.empty())
      why = can.reason;
  }
  return fast.empty() ? general_choices(std::move(all), why, most) : fast;
}

}  // namespace tessera::cuda
