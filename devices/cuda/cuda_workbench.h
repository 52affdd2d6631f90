// Measurements on a GPU: operands in its memory, times from its events, cuBLAS as the peer library.
#pragma once
#include <memory>

#include "devices/workbench.h"

namespace tessera::cuda {

// Returns a workbench in the current context, or in the primary context of device 0 if none is
// current. Each time that it measures is of a single run, after the L2 cache was overwritten. Fails
// with ErrorCode::environment without a GPU.
Expected<std::unique_ptr<Workbench>> make_workbench();

}  // namespace tessera::cuda
