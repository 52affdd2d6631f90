// Parts of a product's configuration that the caller specifies.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/kernel/grouped_desc.h"
#include "core/kernel/kernel_config.h"
#include "core/lang/language.h"
#include "core/report/expected.h"
#include "devices/device.h"
#include "kernels/launch/tiling_spec.h"

namespace tessera {

// Name of the reference in the options of calls; it is not a device.
inline constexpr std::string_view reference_device = "reference";

// Parts of a configuration; empty parts are chosen by the device.
struct ConfigRequest {
  TilingSpec tiling = {};
  std::optional<std::int64_t> buffers = {};
  std::optional<std::int64_t> align = {};
  MachineHints hints = {};

  // True if no part is specified.
  bool is_empty() const;
};
// Returns the request of a call's options: its tiling, its number of buffers and, if the options
// have hints, its align and hints. The default number of buffers counts as not specified.
template <typename Options>
ConfigRequest config_request(const Options& options) {
  ConfigRequest request{.tiling = options.tiling};
  if (options.input_buffer_count != KernelConfig{}.buffers)
    request.buffers = options.input_buffer_count;
  if constexpr (requires { options.hints; }) {
    request.align = options.align;
    request.hints = options.hints;
  }
  return request;
}

// Returns the configuration of the product on a device; none if the request is empty. With a tiling
// or a lookup, parts that are not specified have their defaults. Otherwise `rest` is called; it
// must return the device's choice with the requested buffers. Fails with ErrorCode::unsupported for
// hints that the device rejects. Also fails for hints without a tiling, a lookup without a tiling
// for the product, and tiles, buffers or an align below 1.
Expected<std::optional<KernelConfig>> given_config(const ConfigRequest& request,
                                                   const Device& device, const GroupedDesc& desc,
                                                   const std::function<KernelConfig()>& rest);

// Checks the request for the reference, which has no kernel. Fails with ErrorCode::unsupported if
// the request has a tiling, buffers, an align or hints.
Expected<void> refuse_config(const ConfigRequest& request);

// Sets the parameters of a product kernel to the configuration: tm, tk, tn, buffers and, if it is
// specified, align.
void set_config(Settings& settings, const KernelConfig& config);

}  // namespace tessera
