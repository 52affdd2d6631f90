// Measurements on a GPU: operands in its memory, times from its events, cuBLAS as the peer library.
#pragma once
#include <memory>

#include "devices/workbench.h"

namespace tessera::cuda {

// Each time is of a single run, after the L2 cache was overwritten. Fails with
// ErrorCode::environment without a GPU.
Expected<std::unique_ptr<Workbench>> make_workbench();

}  // namespace tessera::cuda
