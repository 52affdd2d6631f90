// The simulated machine as a device: expands a program and runs it step by step.
#pragma once
#include "devices/device.h"
#include "interp/run.h"

namespace tessera {

const Device& interpreter_device();
// Why a report's results are not what the program makes: its findings, or that the run was ended
// before it was done. Empty where they are.
Diags faults(const DeviceReport& report);
// Whether a run with these options ends before its first step.
bool is_launch_only(const DeviceOptions& options);

}  // namespace tessera
