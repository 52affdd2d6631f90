// The device "cuda": NVIDIA GPUs.
#pragma once
#include "devices/device.h"

namespace tessera {

const Device& cuda_device();

}  // namespace tessera
