// A run of a CUDA graph's steps that is held against the interpreter's, node by node (--stamp).
#pragma once
#include <vector>

#include "core/report/expected.h"
#include "devices/cuda/graph/graph_instance.h"
#include "devices/device.h"
#include "interp/run_options.h"
#include "interp/stamp/stamp_scope.h"

namespace tessera::cuda {

// Does the steps one after the other, so that nothing a node has written is changed before it is
// compared; the seconds are those of all of it. The first difference is a finding of the report.
Expected<void> run_stamped(GraphInstance& instance, const std::vector<DeviceAddresses>& operands,
                           const std::vector<DeviceBinding>& bindings, const RunOptions& machine,
                           graph::StampReport& stamped, DeviceReport& report);

}  // namespace tessera::cuda
