#include "kernels/launch/launch.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "core/report/guarded.h"
#include "devices/devices.h"
#include "devices/interpreter/interpreter_device.h"
#include "kernels/programs/kernels.h"

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
    owned.emplace_back(dtype, shape);
    device.emplace("out", &owned.back());
  }
}

namespace {

void unwrite(Tensor& tensor, const DeviceOptions& run) {
  if (tensor.bytes() == 0 || is_launch_only(run)) return;
  std::memset(tensor.data(), 0xFF, static_cast<std::size_t>(tensor.bytes()));
}

}  // namespace

Tensor unwritten(DType dtype, Shape shape, const DeviceOptions& run) {
  Tensor tensor = Tensor::uninitialised(dtype, std::move(shape));
  unwrite(tensor, run);
  return tensor;
}

Expected<const Device*> choose_device(const std::string& name, std::string_view other) {
  if (name.empty()) return &default_device();
  Expected<const Device*> found = find_device(name, other);
  if (!found) return found.diags();
  const Support here = (*found)->available();
  if (!here.ok)
    return error(ErrorCode::environment, fmt::format("device {}: {}", name, here.reason));
  return *found;
}

Expected<Program> make_program(const Launch& launch) {
  return make_kernel(launch.kernel, launch.settings, {.calls = launch.calls});
}

Expected<std::unique_ptr<Executable>> prepared(const Device& device, const Program& program,
                                               const PrepareOptions& how) {
  Expected<std::unique_ptr<Executable>> made = device.prepare(program, how);
  if (made || made.diags().front().code != ErrorCode::unsupported) return made;
  Diag diag = made.diags().front();
  diag.message =
      fmt::format("device {} cannot run {}: {}", device.name(), program.name, diag.message);
  return diag;
}

Expected<DeviceReport> run(const Launch& launch, const CollectiveOptions& options) try {
  const Expected<const Device*> device = choose_device(options.device);
  if (!device) return device.diags();
  const Expected<Program> program = make_program(launch);
  if (!program) return program.diags();
  const Expected<std::unique_ptr<Executable>> executable = prepared(**device, *program);
  if (!executable) return executable.diags();
  for (const DeviceBinding& binding : launch.devices)
    if (const auto out = binding.find("out"); out != binding.end())
      unwrite(*out->second, options.run);
  return (*executable)->run_with_all(launch.devices, options.run);
} catch (...) {
  return given_up("running a kernel");
}

Expected<std::vector<Tensor>> results(Expected<Launch> launch, const CollectiveOptions& options) {
  if (!launch) return launch.diags();
  const Expected<DeviceReport> report = run(*launch, options);
  if (!report) return report.diags();
  if (Diags diags = faults(*report); !diags.empty()) return diags;
  std::vector<Tensor> all;
  for (DeviceBinding& device : launch->devices) all.push_back(std::move(*device.at("out")));
  return all;
}

}  // namespace tessera
