// Runs on GPUs that are held against the interpreter's, node by node (--check-nodes).
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "analysis/node_check/node_check_report.h"
#include "core/report/expected.h"
#include "devices/cuda/graph/graph_instance.h"
#include "devices/device.h"
#include "interp/run_options.h"

namespace tessera::cuda {

// Does the steps one after the other, so that nothing a node has written is changed before it is
// compared; the seconds are those of all of it. The first difference is a finding of the report.
// take_results: copies the results into the bindings, where they are compared as well.
Expected<void> run_checked(GraphInstance& instance, const std::vector<DeviceAddresses>& operands,
                           const std::vector<DeviceBinding>& bindings, const RunOptions& machine,
                           const std::function<Expected<void>()>& take_results,
                           graph::NodeCheckReport& checked, DeviceReport& report);

// Of a program that is one kernel, and so one node: `run` does it, and takes the results into the
// binding. sum_error: DeviceReport::sum_error.
Expected<void> run_checked(const std::shared_ptr<const graph::TaskGraph>& graph,
                           const DeviceBinding& binding, const RunOptions& machine,
                           double sum_error, const std::function<Expected<void>()>& run,
                           graph::NodeCheckReport& checked, DeviceReport& report);
// The same, of the structured program, which is planned for these operands.
Expected<void> run_checked(const Program& structured, const DeviceBinding& binding,
                           const DeviceOptions& given, double sum_error,
                           const std::function<Expected<void>()>& run,
                           graph::NodeCheckReport& checked, DeviceReport& report);

}  // namespace tessera::cuda
