// A kernel as the CUDA source that NVRTC compiles.
#pragma once
#include <memory>

#include "devices/device.h"
#include "devices/emitted_kernel.h"

namespace tessera::cuda {

// Its compile() is for sm_90a. ErrorCode::unsupported, with the place and the reason, for what has
// no kernel of the form.
Expected<std::unique_ptr<EmittedKernel>> emitted(const Program& program, KernelForm form);

}  // namespace tessera::cuda
