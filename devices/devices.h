// The list of devices.
#pragma once  // public
#include <string_view>
#include <vector>

#include "core/report/expected.h"
#include "devices/device.h"

namespace tessera {

// All devices, including those that are not available, in order of preference: the first device
// that meets the requirements is used. Nothing else depends on the order. Devices are never
// destroyed.
const std::vector<const Device*>& devices();
// Returns devices() in reverse order, for tables and help: the device that everyone has comes
// first.
std::vector<const Device*> devices_as_listed();
// Returns the device with this name. Fails with ErrorCode::invalid_value if there is none; the
// error lists the names, and `other`: alternatives that the caller accepts.
Expected<const Device*> find_device(std::string_view name, std::string_view other = {});
// The first available device. There is always one, because the simulated device is available.
const Device& default_device();
// The first device that simulates a machine (Device::is_simulated). It is always available.
const Device& simulated_device();
// The first device with memory of its own (Device::supports_launch), available or not. Without one:
// the default device.
const Device& launching_device();
// The first device that emits source (Device::supports_emit), available or not. Without one: the
// default device.
const Device& emitting_device();

}  // namespace tessera
