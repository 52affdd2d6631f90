#include "kernels/launch.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "devices/devices.h"
#include "kernels/kernels.h"

namespace tessera {

void Launch::set(std::string_view parameter, std::int64_t value) {
  settings[std::string(parameter)] = std::to_string(value);
}

void Launch::set(std::string_view parameter, DType type) {
  settings[std::string(parameter)] = std::string(name(type));
}

void Launch::input(std::size_t device, std::string_view name, const Tensor& tensor) {
  devices[device].emplace(name, tessera::input(tensor));
}

void Launch::table(std::string_view name, Tensor tensor) {
  owned.push_back(std::move(tensor));
  for (DeviceBinding& device : devices) device.emplace(name, &owned.back());
}

void Launch::results(DType dtype, const Shape& shape) {
  for (DeviceBinding& device : devices) {
    owned.push_back(unwritten(dtype, shape));
    device.emplace("out", &owned.back());
  }
}

Tensor unwritten(DType dtype, Shape shape) {
  Tensor tensor = Tensor::uninitialised(dtype, std::move(shape));
  if (tensor.bytes() > 0)
    std::memset(tensor.data(), 0xFF, static_cast<std::size_t>(tensor.bytes()));
  return tensor;
}

Expected<const Device*> choose_device(const std::string& name) {
  if (name.empty()) return &default_device();
  Expected<const Device*> found = find_device(name);
  if (!found) return found.diags();
  const Support here = (*found)->available();
  if (!here.ok)
    return error(ErrorCode::environment, fmt::format("device {}: {}", name, here.reason));
  return *found;
}

Expected<Program> make_program(const Launch& launch) {
  return make_kernel(launch.kernel, launch.settings, {.calls = launch.calls});
}

Expected<DeviceReport> run(const Launch& launch, const CollectiveOptions& options) {
  const Expected<const Device*> device = choose_device(options.device);
  if (!device) return device.diags();
  const Expected<Program> program = make_program(launch);
  if (!program) return program.diags();
  if (const Support support = (*device)->supports(*program); !support.ok) {
    return error(ErrorCode::unsupported,
                 fmt::format("device {} cannot run {}: {}", (*device)->name(), launch.kernel,
                             support.reason));
  }
  return (*device)->run(*program, launch.devices, options.run);
}

Expected<std::vector<Tensor>> results(Expected<Launch> launch, const CollectiveOptions& options) {
  if (!launch) return launch.diags();
  const Expected<DeviceReport> report = run(*launch, options);
  if (!report) return report.diags();
  if (!report->findings.empty()) return report->findings;
  std::vector<Tensor> all;
  for (DeviceBinding& device : launch->devices) all.push_back(std::move(*device.at("out")));
  return all;
}

}  // namespace tessera
