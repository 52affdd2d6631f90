#include "kernels/launch/choose.h"

#include <fmt/format.h>

#include <string>

#include "core/report/try.h"

namespace tessera {
namespace {

Expected<void> check_at_least_one(const char* what, const std::optional<std::int64_t>& value) {
  if (!value || *value >= 1) return {};
  return error(fmt::format("{} must be at least 1, got {}", what, *value));
}

Expected<ConfigChoice> asked(const Device& device, const GroupedDesc& desc,
                             const ConfigRequest& request, const DeviceOptions& run) {
  KernelConfig config{.buffers = request.buffers.value_or(KernelConfig{}.buffers),
                      .align = request.align,
                      .hints = request.hints};
  if (const Tiling* given = std::get_if<Tiling>(&request.tiling)) {
    config.tiling = *given;
    return ConfigChoice{config, {}, "the tiling that was given"};
  }
  if (const LutFn* lookup = std::get_if<LutFn>(&request.tiling)) {
    const std::optional<Tiling> found = *lookup ? (*lookup)(desc.m, desc.k, desc.n) : std::nullopt;
    if (!found) {
      return error(fmt::format("No tuned tiling found for (m, k, n) = ({}, {}, {})", desc.m, desc.k,
                               desc.n));
    }
    config.tiling = *found;
    return ConfigChoice{config, {}, "the tiling that was looked up"};
  }
  if (!(request.hints == MachineHints{})) {
    return error(
        fmt::format("hints ({}) go with a tiling, and none is given", hints_text(request.hints)));
  }
  ConfigChoice choice = device.choose(desc, run, request.buffers);
  if (request.align) choice.config.align = request.align;
  return choice;
}

}  // namespace

Expected<ConfigChoice> resolve_config(const Device& device, const GroupedDesc& desc,
                                      const ConfigRequest& request, const DeviceOptions& run) {
  if (!(request.hints == MachineHints{})) {
    if (const Support can = device.takes_hints(request.hints); !can.ok)
      return error(ErrorCode::unsupported, can.reason);
  }
  TRY(check_at_least_one("input_buffer_count", request.buffers));
  TRY(check_at_least_one("align", request.align));
  ConfigChoice choice = TRY(asked(device, desc, request, run));
  const Tiling& tiling = choice.config.tiling;
  if (tiling.m > 0 && tiling.k > 0 && tiling.n > 0) return choice;
  return error(fmt::format("tile sizes must be positive, got (tm, tk, tn) = ({}, {}, {})", tiling.m,
                           tiling.k, tiling.n));
}

Expected<void> refuse_config(const ConfigRequest& request) {
  const char* const what = !std::holds_alternative<std::monostate>(request.tiling) ? "a tiling"
                           : request.buffers ? "input_buffer_count"
                                             : nullptr;
  if (what != nullptr) {
    return error(ErrorCode::unsupported,
                 fmt::format("{} cuts a kernel, and the reference is not cut", what));
  }
  if (!request.align) return {};
  return error(ErrorCode::unsupported, "align is of a kernel, and the reference has none");
}

void set_config(Settings& settings, const KernelConfig& config) {
  settings["tm"] = std::to_string(config.tiling.m);
  settings["tk"] = std::to_string(config.tiling.k);
  settings["tn"] = std::to_string(config.tiling.n);
  settings["buffers"] = std::to_string(config.buffers);
  if (config.align) settings["align"] = std::to_string(*config.align);
}

}  // namespace tessera
