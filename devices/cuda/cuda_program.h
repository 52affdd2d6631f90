// A compiled kernel as an executable. run() copies operands to the GPU and results back; launch()
// works on the caller's device memory.
#pragma once
#include <memory>

#include "core/program/program.h"
#include "devices/cuda/runtime/kernel.h"
#include "devices/device.h"

namespace tessera::cuda {

// Returns the executable of `kernel`, which must be compiled from `program`. Runs on several
// devices execute a task graph of the program instead.
std::unique_ptr<Executable> make_program(const Program& program, std::shared_ptr<Kernel> kernel);

}  // namespace tessera::cuda
