// Runs on GPUs that are compared with the interpreter node by node (--check-nodes).
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

// Runs the steps in order, so that the output of a node is compared before a later node overwrites
// it. The reported seconds include the comparisons. The first difference becomes a finding of the
// report. If the interpreter's run has findings, the report has these, and nothing runs on the
// GPUs. machine: options of the interpreter's run. take_results: copies the results into the
// bindings, where they are compared as well. checked: the outcome is added to it. Fails with
// ErrorCode::unsupported if no node differs, but some have no error bound.
Expected<void> run_checked(GraphInstance& instance, const std::vector<DeviceAddresses>& operands,
                           const std::vector<DeviceBinding>& bindings, const RunOptions& machine,
                           const std::function<Expected<void>()>& take_results,
                           graph::NodeCheckReport& checked, DeviceReport& report);

// Like the function above, for a program that is one kernel: calls `run`, then compares the only
// node. Fails with ErrorCode::unsupported if the graph has several nodes.
// run: runs the kernel and copies the results into the binding, or adds findings to the report.
// sum_error: DeviceReport::sum_error.
Expected<void> run_checked(const std::shared_ptr<const graph::TaskGraph>& graph,
                           const DeviceBinding& binding, const RunOptions& machine,
                           double sum_error, const std::function<Expected<void>()>& run,
                           graph::NodeCheckReport& checked, DeviceReport& report);
// Like the function above, for a structured program, which is planned for these operands.
Expected<void> run_checked(const Program& structured, const DeviceBinding& binding,
                           const DeviceOptions& given, double sum_error,
                           const std::function<Expected<void>()>& run,
                           graph::NodeCheckReport& checked, DeviceReport& report);

}  // namespace tessera::cuda
