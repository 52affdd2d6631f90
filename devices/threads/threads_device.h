// The cores of this machine as a device: runs a proved program as a task graph, with any number of
// simulated devices.
#pragma once
#include "devices/device.h"

namespace tessera {

const Device& threads_device();

}  // namespace tessera
