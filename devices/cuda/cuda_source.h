// A kernel as CUDA source for NVRTC.
#pragma once
#include <memory>

#include "devices/device.h"
#include "devices/emitted_kernel.h"

namespace tessera::cuda {

// Lowers the program to a kernel of the form; its compile() targets sm_90a for both forms. Fails
// with ErrorCode::unsupported and the reason, with its place if it is a part of the program, if the
// program has no kernel of the form.
Expected<std::unique_ptr<EmittedKernel>> emitted(const Program& program, KernelForm form);

}  // namespace tessera::cuda
