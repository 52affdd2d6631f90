#include "devices/devices.h"

#include <fmt/format.h>

#include <string>

#include "devices/cuda/cuda_device.h"
#include "devices/interpreter/interpreter_device.h"

namespace tessera {

const std::vector<const Device*>& devices() {
  static const std::vector<const Device*> all{&cuda_device(), &interpreter_device()};
  return all;
}

Expected<const Device*> find_device(std::string_view name, std::string_view other) {
  std::string names;
  for (const Device* device : devices()) {
    if (device->name() == name) return device;
    names += (names.empty() ? "" : ", ") + std::string(device->name());
  }
  if (!other.empty()) names += fmt::format(", {}", other);
  return error(fmt::format("no device {}; there are {}", name, names));
}

const Device& default_device() {
  for (const Device* device : devices()) {
    if (device->available().ok) return *device;
  }
  return interpreter_device();
}

const Device& simulated_device() { return interpreter_device(); }

const Device& launching_device() {
  for (const Device* device : devices()) {
    if (device->launches()) return *device;
  }
  return default_device();
}

}  // namespace tessera
