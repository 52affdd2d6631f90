// The cores of this machine: a proved program as a task graph, of any number of simulated devices.
#pragma once
#include "devices/device.h"

namespace tessera {

const Device& threads_device();

}  // namespace tessera
