// Measuring on a GPU: operands in its memory, times by its events, cuBLAS beside our kernels.
#pragma once
#include <memory>

#include "devices/workbench.h"

namespace tessera::cuda {

// Its times are of single runs, each after the L2 cache was overwritten. ErrorCode::environment
// without a GPU.
Expected<std::unique_ptr<Workbench>> make_workbench();

}  // namespace tessera::cuda
