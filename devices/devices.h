// The list of devices.
#pragma once  // public
#include <string_view>
#include <vector>

#include "core/report/expected.h"
#include "devices/device.h"

namespace tessera {

// All devices, also those that are not available. Their order is the order of preference: of those
// that can do what is wanted, the first is taken. Nothing else depends on it.
const std::vector<const Device*>& devices();
// The same for tables and help, the least preferred first: it is the one that everybody has.
std::vector<const Device*> devices_as_listed();
// The device of that name. The error lists the names that there are, and `other`, what the caller
// accepts beside them.
Expected<const Device*> find_device(std::string_view name, std::string_view other = {});
// The first that is available; the simulated one always is.
const Device& default_device();
// The first that simulates a machine (Device::is_simulated), which is always available.
const Device& simulated_device();
// The first with memory of its own (Device::launches), also where it is not available; without one
// the default device.
const Device& launching_device();
// The first whose kernels are source (Device::emits), also where it is not available; without one
// the default device.
const Device& emitting_device();

}  // namespace tessera
