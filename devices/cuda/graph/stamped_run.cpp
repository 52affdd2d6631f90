#include "devices/cuda/graph/stamped_run.h"

#include <chrono>
#include <memory>
#include <optional>

#include "core/report/try.h"
#include "devices/cuda/graph/call_operands.h"
#include "interp/stamp/stamps.h"

namespace tessera::cuda {
namespace {

// The elements of a rectangle, row by row, as they are on the GPU now.
Expected<std::vector<std::byte>> elements_of(const GraphInstance& instance,
                                             const graph::Rectangle& rectangle) {
  const CallOperand operand = operand_of(*instance.plan().graph, rectangle.memory, rectangle.box);
  const std::int64_t width = size_of(operand.dtype);
  std::vector<std::byte> rows(static_cast<std::size_t>(operand.view.elements() * width));
  if (rows.empty()) return rows;
  std::int64_t last = 0;  // where the last element is behind the first
  for (int d = 0; d < operand.view.rank; ++d)
    last += (operand.view.size[Box::at(d)] - 1) * operand.view.stride[Box::at(d)];
  std::vector<std::byte> bytes(static_cast<std::size_t>((last + 1) * width));
  TRY(instance.read(rectangle.memory, operand.offset, bytes));
  TileView from = operand.view;
  from.data = bytes.data();
  copy_elements(compact(rows.data(), from), from);
  return rows;
}

// The last step of each node.
Table<graph::NodeId, std::size_t> last_steps(const GraphPlan& plan) {
  Table<graph::NodeId, std::size_t> last(plan.graph->nodes.size(), plan.steps.size());
  for (std::size_t s = 0; s < plan.steps.size(); ++s) last[plan.steps[s].node] = s;
  return last;
}

}  // namespace

Expected<void> run_stamped(GraphInstance& instance, const std::vector<DeviceAddresses>& operands,
                           const std::vector<DeviceBinding>& bindings, const RunOptions& machine,
                           graph::StampReport& stamped, DeviceReport& report) {
  const GraphPlan& plan = instance.plan();
  const graph::TaskGraph& graph = *plan.graph;
  RunOptions options = machine;
  options.math = Math::library;  // floats are compared within the bound of their rounding
  const std::unique_ptr<graph::Stamps> stamps = TRY(graph::Stamps::make(graph, bindings, options));
  report.findings = stamps->findings();
  if (!report.findings.empty()) return {};
  const Table<graph::NodeId, std::size_t> last = last_steps(plan);
  const auto begin = std::chrono::steady_clock::now();
  TRY(instance.run_in_turn(operands, [&](std::size_t step) -> Expected<void> {
    const graph::NodeId node = plan.steps[step].node;
    if (last[node] != step) return {};
    for (int h = 0; h < graph.nodes[node].halves; ++h) {
      const graph::HalfId half = graph.nodes[node].first + h;
      std::vector<std::vector<std::byte>> got;
      for (const graph::Rectangle& rectangle : stamps->rectangles(half))
        got.push_back(TRY(elements_of(instance, rectangle)));
      stamps->compare(half, std::move(got));
    }
    return {};
  }));
  report.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const graph::Tally tally = stamps->tally();
  std::optional<Finding> first;
  if (tally.first >= 0) first = TRY(stamps->first_difference(tally));
  return graph::take(tally, std::move(first), stamped, report.findings);
}

}  // namespace tessera::cuda
