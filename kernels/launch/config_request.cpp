#include "kernels/launch/config_request.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/report/try.h"

namespace tessera {
namespace {

Expected<void> check_at_least_one(const char* what, const std::optional<std::int64_t>& value) {
  if (!value || *value >= 1) return {};
  return error(fmt::format("{} must be at least 1, got {}", what, *value));
}

Expected<void> check_request(const ConfigRequest& request, const Device& device) {
  if (!(request.hints == MachineHints{})) {
    if (const Support can = device.takes_hints(request.hints); !can.ok)
      return error(ErrorCode::unsupported, can.reason);
  }
  TRY(check_at_least_one("input_buffer_count", request.buffers));
  return check_at_least_one("align", request.align);
}

Expected<Tiling> looked_up(const LutFn& lookup, const GroupedDesc& desc) {
  const std::optional<Tiling> found = lookup ? lookup(desc.m, desc.k, desc.n) : std::nullopt;
  if (found) return *found;
  return error(
      fmt::format("No tuned tiling found for (m, k, n) = ({}, {}, {})", desc.m, desc.k, desc.n));
}

Expected<KernelConfig> tiled(const ConfigRequest& request, const Tiling& tiling) {
  if (tiling.m <= 0 || tiling.k <= 0 || tiling.n <= 0) {
    return error(fmt::format("tile sizes must be positive, got (tm, tk, tn) = ({}, {}, {})",
                             tiling.m, tiling.k, tiling.n));
  }
  return KernelConfig{.tiling = tiling,
                      .buffers = request.buffers.value_or(KernelConfig{}.buffers),
                      .align = request.align,
                      .hints = request.hints};
}

}  // namespace

bool ConfigRequest::is_empty() const {
  return std::holds_alternative<std::monostate>(tiling) && !buffers && !align &&
         hints == MachineHints{};
}

Expected<std::optional<KernelConfig>> given_config(const ConfigRequest& request,
                                                   const Device& device, const GroupedDesc& desc,
                                                   const std::function<KernelConfig()>& rest) {
  using Given = std::optional<KernelConfig>;
  TRY(check_request(request, device));
  if (const Tiling* tiling = std::get_if<Tiling>(&request.tiling))
    return Given(TRY(tiled(request, *tiling)));
  if (const LutFn* lookup = std::get_if<LutFn>(&request.tiling))
    return Given(TRY(tiled(request, TRY(looked_up(*lookup, desc)))));
  if (!(request.hints == MachineHints{})) {
    return error(
        fmt::format("hints ({}) need a tiling, and none is given", hints_text(request.hints)));
  }
  if (request.is_empty()) return Given();
  KernelConfig config = rest();
  if (request.align) config.align = request.align;
  return Given(std::move(config));
}

Expected<void> refuse_config(const ConfigRequest& request) {
  const char* const what = !std::holds_alternative<std::monostate>(request.tiling) ? "a tiling"
                           : request.buffers ? "input_buffer_count"
                                             : nullptr;
  if (what != nullptr) {
    return error(
        ErrorCode::unsupported,
        fmt::format("{} selects the tiles of a kernel, and the reference has no tiles", what));
  }
  if (request.align)
    return error(ErrorCode::unsupported,
                 "align is an option of a kernel, and the reference has none");
  if (request.hints == MachineHints{}) return {};
  return error(ErrorCode::unsupported,
               fmt::format("hints ({}) apply to a kernel, and the reference has none",
                           hints_text(request.hints)));
}

void set_config(Settings& settings, const KernelConfig& config) {
  settings["tm"] = std::to_string(config.tiling.m);
  settings["tk"] = std::to_string(config.tiling.k);
  settings["tn"] = std::to_string(config.tiling.n);
  settings["buffers"] = std::to_string(config.buffers);
  if (config.align) settings["align"] = std::to_string(*config.align);
}

}  // namespace tessera
