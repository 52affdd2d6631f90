#include "kernels/launch/launch_tuning.h"

#include <fmt/format.h>

#include <string>

#include "devices/devices.h"
#include "devices/profiles/profile.h"

namespace tessera {

bool runs_on_cuda(std::string_view device) {
  return (device.empty() ? default_device().name() : device) == "cuda";
}

std::optional<Diag> idle_tuning(std::string_view device, const TilingSpec& tiling,
                                std::int64_t buffers) {
  if (device != reference_device) return std::nullopt;
  const bool is_cut = !std::holds_alternative<std::monostate>(tiling);
  if (!is_cut && buffers == GroupedMatmulOptions().input_buffer_count) return std::nullopt;
  return error(ErrorCode::unsupported, fmt::format("{} cuts a kernel, and the reference is not cut",
                                                   is_cut ? "a tiling" : "input_buffer_count"));
}

bool stays_fp8(const CudaOperands& o) {
  const auto is_fp8 = [](DType type) { return type == DType::e4m3 || type == DType::e5m2; };
  const bool is_older = cuda::driver_available().ok && !cuda::device_facts().has_fast_kernels();
  return is_fp8(o.lhs) && is_fp8(o.rhs) && o.transpose_rhs && o.k % 16 == 0 &&
         o.default_precision && !is_older;
}

LaunchTuning modelled_tuning(const cuda::GroupedShape& shape, std::int64_t buffers) {
  constexpr std::int64_t most_modelled = 8;
  const bool is_given = buffers != GroupedMatmulOptions{}.input_buffer_count;
  const std::vector<cuda::Estimate> all =
      cuda::estimates(shape, cuda::gpu_figures(cuda::device_facts()));
  const cuda::Configuration* chosen = &all.front().configuration;
  for (const cuda::Estimate& e : all) {
    // A configuration has as many as fit, and no more than that many where more would.
    const std::int64_t room = e.configuration.buffers;
    if (is_given && buffers > room && room < most_modelled) continue;
    chosen = &e.configuration;
    break;
  }
  return {chosen->tiling, is_given ? buffers : chosen->buffers, chosen->align, chosen->hints};
}

Expected<Tiling> chosen_tiling(const TilingSpec& spec, std::int64_t m, std::int64_t k,
                               std::int64_t n, const DeviceOptions& run) {
  Tiling tiling;
  if (const Tiling* given = std::get_if<Tiling>(&spec)) {
    tiling = *given;
  } else if (const LutFn* lookup = std::get_if<LutFn>(&spec)) {
    const std::optional<Tiling> found = *lookup ? (*lookup)(m, k, n) : std::nullopt;
    if (!found)
      return error(fmt::format("No tuned tiling found for (m, k, n) = ({}, {}, {})", m, k, n));
    tiling = *found;
  } else {
    const std::string& machine = run.profile.name;
    const Expected<Profile> profile = find_profile(machine.empty() ? default_profile : machine);
    if (profile) tiling = profile->tiling;
  }
  if (tiling.m > 0 && tiling.k > 0 && tiling.n > 0) return tiling;
  return error(fmt::format("tile sizes must be positive, got (tm, tk, tn) = ({}, {}, {})", tiling.m,
                           tiling.k, tiling.n));
}

}  // namespace tessera
