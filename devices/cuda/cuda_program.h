// A compiled kernel as an executable: its runs copy operands to the GPU and results back, its
// launches work on the caller's memory there.
#pragma once
#include <memory>

#include "core/program/program.h"
#include "devices/cuda/runtime/kernel.h"
#include "devices/device.h"

namespace tessera::cuda {

// `kernel` is that of the program.
std::unique_ptr<Executable> make_program(const Program& program, std::shared_ptr<Kernel> kernel);

}  // namespace tessera::cuda
