// NVIDIA GPUs.
#pragma once
#include "devices/cuda/hints.h"
#include "devices/device.h"

namespace tessera {

const Device& cuda_device();
// The same as its run(), with the way in which the kernel is to use the machine.
Expected<DeviceReport> run_on_cuda(const Program& program,
                                   const std::vector<DeviceBinding>& bindings,
                                   const cuda::Hints& hints);

}  // namespace tessera
