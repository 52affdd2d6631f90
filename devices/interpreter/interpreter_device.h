// The simulated machine as a device: expands a program and runs it step by step.
#pragma once
#include "devices/device.h"
#include "interp/run.h"

namespace tessera {

const Device& interpreter_device();
// Reasons why the results of a report are not valid: its findings, or an early end of the run.
// Empty if they are valid.
Diags faults(const DeviceReport& report);
// True if a run with these options ends before its first step.
bool is_launch_only(const DeviceOptions& options);

}  // namespace tessera
