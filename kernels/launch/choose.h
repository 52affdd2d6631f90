// How a product is cut into tiles where it runs: as its caller gives it, else as the device
// chooses.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/kernel/grouped_desc.h"
#include "core/kernel/kernel_config.h"
#include "core/lang/language.h"
#include "devices/device.h"
#include "kernels/launch/tiling_spec.h"

namespace tessera {

inline constexpr std::string_view reference_device = "reference";

// What a caller fixes of a configuration.
struct ConfigRequest {
  TilingSpec tiling;
  std::optional<std::int64_t> buffers;  // none: the device's choice
  std::optional<std::int64_t> align;
  MachineHints hints;
};
// That of options which have a tiling and a count of buffers; those by default are nobody's choice.
template <typename Options>
ConfigRequest config_request(const Options& options) {
  ConfigRequest request{options.tiling, {}, {}, {}};
  if (options.input_buffer_count != KernelConfig{}.buffers)
    request.buffers = options.input_buffer_count;
  if constexpr (requires { options.hints; }) {
    request.align = options.align;
    request.hints = options.hints;
  }
  return request;
}

// The configuration that is given or looked up, else the device's choice for the product, whose
// operands have the types in which they are multiplied. Tiles, buffers and align are at least 1.
Expected<ConfigChoice> resolve_config(const Device& device, const GroupedDesc& desc,
                                      const ConfigRequest& request, const DeviceOptions& run);

// A request where there is no kernel to cut: the reference's.
Expected<void> refuse_config(const ConfigRequest& request);

// The parameters by which every kernel of a product is cut.
void set_config(Settings& settings, const KernelConfig& config);

}  // namespace tessera
