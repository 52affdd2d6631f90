#include "devices/device.h"

#include <fmt/format.h>

#include "core/report/try.h"

namespace tessera {

Expected<void> Executable::launch(const DeviceAddresses&, void*, const Pitches&) {
  return error(ErrorCode::unsupported,
               "this device has no memory of its own that a launch could work on");
}

Expected<std::optional<Finding>> Executable::finding(std::optional<void*>) {
  return std::optional<Finding>();
}

Expected<void> Executable::check(std::optional<void*> stream) {
  const std::optional<Finding> found = TRY(finding(stream));
  if (found) return as_error(*found);
  return {};
}

Expected<std::unique_ptr<Stopwatch>> Device::stopwatch(const std::vector<MeasuredOperand>&) const {
  return error(ErrorCode::unsupported,
               fmt::format("device {} has no clock for single launches", name()));
}

Expected<DeviceReport> Device::run(const Program& structured,
                                   const std::vector<DeviceBinding>& bindings,
                                   const DeviceOptions& options) const {
  const std::unique_ptr<Executable> executable = TRY(prepare(structured));
  return executable->run(bindings, options);
}

}  // namespace tessera
