// What a caller fixes of how a product is cut into tiles where it runs.
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

inline constexpr std::string_view reference_device = "reference";

// The parts of a configuration that a caller gives.
struct ConfigRequest {
  TilingSpec tiling = {};
  std::optional<std::int64_t> buffers = {};  // none: the device's choice
  std::optional<std::int64_t> align = {};
  MachineHints hints = {};

  // Whether nothing is given.
  bool is_empty() const;
};
// That of options which have a tiling and a count of buffers; those by default are nobody's choice.
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

// The configuration that the request gives for the product on a device; none where it is empty.
// What it leaves open beside a tiling or a lookup has its default, else `rest`, the device's choice
// with the request's buffers, gives it. Errors are hints that the device does not take or that are
// without a tiling, a product that the lookup has nothing for, and tiles, buffers or an align that
// are not positive.
Expected<std::optional<KernelConfig>> given_config(const ConfigRequest& request,
                                                   const Device& device, const GroupedDesc& desc,
                                                   const std::function<KernelConfig()>& rest);

// A request where there is no kernel to cut: the reference's.
Expected<void> refuse_config(const ConfigRequest& request);

// The parameters by which every kernel of a product is cut.
void set_config(Settings& settings, const KernelConfig& config);

}  // namespace tessera
