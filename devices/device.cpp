#include "devices/device.h"

#include <fmt/format.h>

#include <numeric>

#include "core/report/try.h"
#include "devices/emitted_kernel.h"
#include "devices/workbench.h"

namespace tessera {

std::vector<std::size_t> Executable::devices(std::size_t devices) const {
  std::vector<std::size_t> all(devices);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

Expected<DeviceReport> Executable::run_with_all(const std::vector<DeviceBinding>& of_all,
                                                const DeviceOptions& options) {
  const std::vector<std::size_t> here = devices(of_all.size());
  if (here.size() == of_all.size()) return run(of_all, options);
  std::vector<DeviceBinding> own;
  for (const std::size_t device : here) {
    if (device >= of_all.size())
      return error(fmt::format("device {} has no operands; found operands of {} devices", device,
                               of_all.size()));
    own.push_back(of_all[device]);
  }
  return run(own, options);
}

Expected<void> Executable::launch(const DeviceAddresses&, void*, const Pitches&) {
  return error(ErrorCode::unsupported, "this device has no memory for launches");
}

Expected<void> Executable::launch_all(const std::vector<DeviceAddresses>& operands,
                                      const std::vector<DeviceBinding>&, void* stream) {
  if (operands.size() == 1) return launch(operands.front(), stream);
  return error(ErrorCode::unsupported, fmt::format("a launch on {} devices", operands.size()));
}

Expected<std::optional<Finding>> Executable::finding(std::optional<void*>) {
  return std::optional<Finding>();
}

Expected<void> Executable::check(std::optional<void*> stream) {
  const std::optional<Finding> found = TRY(finding(stream));
  if (found) return as_error(*found);
  return {};
}

ConfigChoice Device::default_config(const ConfigQuery& query, const DeviceOptions&) const {
  KernelConfig config;
  config.buffers = query.buffers.value_or(config.buffers);
  return {config, {}, "the kernel's own tiles"};
}

std::vector<ConfigChoice> Device::candidates(const ConfigQuery&, const DeviceOptions&) const {
  return {};
}

Expected<std::unique_ptr<Workbench>> Device::workbench() const {
  return error(ErrorCode::unsupported,
               fmt::format("device {} has no clock for single launches", name()));
}

Expected<std::unique_ptr<EmittedKernel>> Device::emit(const Program&, KernelForm) const {
  return error(ErrorCode::unsupported, fmt::format("device {} emits no source", name()));
}

Expected<DeviceReport> Device::run(const Program& structured,
                                   const std::vector<DeviceBinding>& bindings,
                                   const DeviceOptions& options) const {
  const std::unique_ptr<Executable> executable = TRY(prepare(structured));
  return executable->run_with_all(bindings, options);
}

}  // namespace tessera
