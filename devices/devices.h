// The list of devices.
#pragma once  // public
#include <string_view>
#include <vector>

#include "core/report/expected.h"
#include "devices/device.h"

namespace tessera {

// All devices, also those that are not available, the fastest first.
const std::vector<const Device*>& devices();
// The device of that name. The error lists the names that there are, and `other`, what the caller
// accepts beside them.
Expected<const Device*> find_device(std::string_view name, std::string_view other = {});
// The fastest that is available; the interpreter always is.
const Device& default_device();
// The interpreter, which simulates a machine and is always available.
const Device& simulated_device();
// The fastest with memory of its own (Device::launches), also where it is not available.
const Device& launching_device();

}  // namespace tessera
