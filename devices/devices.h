// The list of devices.
#pragma once  // public
#include <string_view>
#include <vector>

#include "core/report/expected.h"
#include "devices/device.h"

namespace tessera {

// All devices, also those that are not available, best first.
const std::vector<const Device*>& devices();
Expected<const Device*> find_device(std::string_view name, std::string_view other = {});
// The best one that is available; the interpreter always is.
const Device& default_device();
// The one that simulates a machine; it is always there.
const Device& simulated_device();
// The best of those whose memory launches work on, also where it is not available.
const Device& launching_device();

}  // namespace tessera
