#include "devices/device.h"

namespace tessera {

Expected<DeviceReport> Device::run(const Program& structured,
                                   const std::vector<DeviceBinding>& bindings,
                                   const DeviceOptions& options) const {
  const Expected<std::unique_ptr<Executable>> executable = prepare(structured);
  if (!executable) return executable.diags();
  return (*executable)->run(bindings, options);
}

}  // namespace tessera
