#include "devices/devices.h"

#include <fmt/format.h>

#include <string>

#include "devices/cuda/cuda_device.h"
#include "devices/interpreter/interpreter_device.h"
#include "devices/mpi/mpi_device.h"
#include "devices/thread_count.h"
#include "devices/threads/threads_device.h"

namespace tessera {

namespace {

const Device* first(bool (*can)(const Device&)) {
  for (const Device* device : devices())
    if (can(*device)) return device;
  return nullptr;
}

}  // namespace

const std::vector<const Device*>& devices() {
  static const std::vector<const Device*> all{&cuda_device(), &interpreter_device(),
                                              &threads_device(), &mpi_device()};
  return all;
}

std::vector<const Device*> devices_as_listed() { return {devices().rbegin(), devices().rend()}; }

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
  const Device* const found = first([](const Device& device) { return device.available().ok; });
  return found != nullptr ? *found : simulated_device();
}

const Device& simulated_device() {
  const Device* const found = first([](const Device& device) { return device.is_simulated(); });
  CHECK(found != nullptr);
  return *found;
}

const Device& launching_device() {
  const Device* const found = first([](const Device& device) { return device.supports_launch(); });
  return found != nullptr ? *found : default_device();
}

const Device& threading_device() { return threads_device(); }

const Device& emitting_device() {
  const Device* const found = first([](const Device& device) { return device.supports_emit(); });
  return found != nullptr ? *found : default_device();
}

}  // namespace tessera
