#include "devices/cuda/graph/checked_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <utility>

#include "analysis/node_check/node_check.h"
#include "core/report/try.h"
#include "devices/cuda/graph/call_operands.h"
#include "devices/cuda/lower/tile_config.h"
#include "devices/planned_graphs.h"

namespace tessera::cuda {
namespace {

// Copies bytes of a memory as they are after the node completes.
using Read = std::function<Expected<void>(graph::MemoryId memory, std::int64_t offset,
                                          std::span<std::byte> to)>;

// Elements of a rectangle, row by row.
Expected<std::vector<std::byte>> elements_of(const graph::TaskGraph& graph,
                                             const graph::Rectangle& rectangle, const Read& read) {
  const CallOperand operand = operand_of(graph, rectangle.memory, rectangle.box);
  const std::int64_t width = size_of(operand.dtype);
  std::vector<std::byte> rows(static_cast<std::size_t>(operand.view.elements() * width));
  if (rows.empty()) return rows;
  std::int64_t last = 0;  // distance from the first to the last element, in elements
  for (int d = 0; d < operand.view.rank; ++d)
    last += (operand.view.size[Box::at(d)] - 1) * operand.view.stride[Box::at(d)];
  std::vector<std::byte> bytes(static_cast<std::size_t>((last + 1) * width));
  TRY(read(rectangle.memory, operand.offset, bytes));
  TileView from = operand.view;
  from.data = bytes.data();
  copy_elements(compact(rows.data(), from), from);
  return rows;
}

Expected<void> compare(graph::NodeCheck& node_check, const graph::TaskGraph& graph,
                       graph::NodeId node, const Read& read) {
  for (int h = 0; h < graph.nodes[node].side_count; ++h) {
    const graph::SideId side = graph.nodes[node].first_side + h;
    std::vector<std::vector<std::byte>> got;
    for (const graph::Rectangle& rectangle : node_check.rectangles(side))
      got.push_back(TRY(elements_of(graph, rectangle, read)));
    node_check.compare(side, std::move(got));
  }
  return {};
}

// Compares the results and fills the report. The results must be in the bindings.
Expected<void> report_all(graph::NodeCheck& node_check, graph::NodeCheckReport& checked,
                          DeviceReport& report) {
  node_check.compare_results();
  const graph::Tally tally = node_check.tally();
  std::optional<Finding> first;
  if (tally.first >= 0 || node_check.different_result())
    first = TRY(node_check.first_difference(tally));
  return graph::take(tally, std::move(first), checked, report.findings);
}

// Options with library math: floats are compared within a rounding error bound.
RunOptions of_library(RunOptions options) {
  options.math = Math::library;
  return options;
}

// Index of the last step of each node.
Table<graph::NodeId, std::size_t> last_steps(const GraphPlan& plan) {
  Table<graph::NodeId, std::size_t> last(plan.graph->nodes.size(), plan.steps.size());
  for (std::size_t s = 0; s < plan.steps.size(); ++s) last[plan.steps[s].node] = s;
  return last;
}

}  // namespace

Expected<void> run_checked(GraphInstance& instance, const std::vector<DeviceAddresses>& operands,
                           const std::vector<DeviceBinding>& bindings, const RunOptions& machine,
                           const std::function<Expected<void>()>& take_results,
                           graph::NodeCheckReport& checked, DeviceReport& report) {
  const GraphPlan& plan = instance.plan();
  const graph::TaskGraph& graph = *plan.graph;
  const double sum_error = plan.products.empty() ? 0 : cut_sum_error;
  const std::unique_ptr<graph::NodeCheck> node_check =
      TRY(graph::NodeCheck::make(graph, bindings, of_library(machine), sum_error));
  report.findings = node_check->findings();
  if (!report.findings.empty()) return {};
  const Table<graph::NodeId, std::size_t> last = last_steps(plan);
  const Read read = [&](graph::MemoryId memory, std::int64_t offset, std::span<std::byte> to) {
    return instance.read(memory, offset, to);
  };
  const auto begin = std::chrono::steady_clock::now();
  TRY(instance.run_in_turn(operands, [&](std::size_t step) -> Expected<void> {
    const graph::NodeId node = plan.steps[step].node;
    return last[node] == step ? compare(*node_check, graph, node, read) : Expected<void>();
  }));
  report.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  TRY(take_results());
  return report_all(*node_check, checked, report);
}

Expected<void> run_checked(const std::shared_ptr<const graph::TaskGraph>& graph,
                           const DeviceBinding& binding, const RunOptions& machine,
                           double sum_error, const std::function<Expected<void>()>& run,
                           graph::NodeCheckReport& checked, DeviceReport& report) {
  if (graph->nodes.size() > 1)
    return error(ErrorCode::unsupported,
                 fmt::format("--check-nodes: the program is one kernel and {} nodes, and only the "
                             "writes of the last nodes remain",
                             graph->nodes.size()));
  const std::vector<DeviceBinding> bindings{binding};
  const std::unique_ptr<graph::NodeCheck> node_check =
      TRY(graph::NodeCheck::make(*graph, bindings, of_library(machine), sum_error));
  report.findings = node_check->findings();
  if (!report.findings.empty()) return {};
  TRY(run());
  if (!report.findings.empty()) return {};
  const Read read = [&](graph::MemoryId memory, std::int64_t offset, std::span<std::byte> to) {
    const BufferId buffer = graph->memories[memory].buffer;
    const Tensor& result = *binding.at(graph->program.buffers[buffer].name);
    std::copy_n(result.data() + offset, to.size(), to.begin());
    return Expected<void>();
  };
  for (const graph::NodeId node : graph->nodes.ids()) TRY(compare(*node_check, *graph, node, read));
  return report_all(*node_check, checked, report);
}

Expected<void> run_checked(const Program& structured, const DeviceBinding& binding,
                           const DeviceOptions& given, double sum_error,
                           const std::function<Expected<void>()>& run,
                           graph::NodeCheckReport& checked, DeviceReport& report) {
  const RunOptions machine = TRY(planning_options(given, 1));
  PlannedGraphs graphs(structured);
  return run_checked(TRY(graphs.of({binding}, machine)), binding, machine, sum_error, run, checked,
                     report);
}

}  // namespace tessera::cuda
