// The simulated machine as a device: expands a program and runs it step by step.
#pragma once
#include "devices/device.h"
#include "interp/run.h"

namespace tessera {

const Device& interpreter_device();
// Returns the reasons why the results of a report are not valid: its findings, or an early end of
// the simulated run (ErrorCode::interrupted for a stop request, else ErrorCode::environment). Empty
// if they are valid.
Diags faults(const DeviceReport& report);
// True if a run with these options ends before its first step (RunOptions::max_steps is 0).
bool is_launch_only(const DeviceOptions& options);

}  // namespace tessera
