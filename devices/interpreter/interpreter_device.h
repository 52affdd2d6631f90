// The simulated machine as a device: expands a program and runs it step by step.
#pragma once
#include "devices/device.h"
#include "interp/run.h"

namespace tessera {

const Device& interpreter_device();
// Whether a run with these options ends before its first step.
bool is_launch_only(const DeviceOptions& options);

}  // namespace tessera
