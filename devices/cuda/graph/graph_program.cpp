#include "devices/cuda/graph/graph_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "analysis/task_graph/loaded_scalars.h"
#include "core/lang/language.h"
#include "core/report/guarded.h"
#include "core/report/try.h"
#include "devices/cuda/graph/call_writer.h"
#include "devices/cuda/graph/checked_run.h"
#include "devices/cuda/graph/graph_instance.h"
#include "devices/cuda/runtime/operand_memory.h"
#include "devices/planned_graphs.h"
#include "interp/machine/control_flow.h"
#include "interp/memory/layout.h"

namespace tessera::cuda {
namespace {

class GraphProgram final : public Executable {
 public:
  GraphProgram(const Program& structured, const std::string& why)
      : program_(structured), graphs_(structured), why_("it is not a single kernel: " + why) {}

  Expected<DeviceReport> run(const std::vector<DeviceBinding>& bindings,
                             const DeviceOptions& given) override try {
    graph::NodeCheckReport* const checked = graph::NodeCheckReport::of(given.interpreter);
    const std::shared_ptr<GraphInstance> instance = TRY(this->instance(bindings, given));
    std::vector<std::unique_ptr<OperandMemory>> memory;
    std::vector<DeviceAddresses> addresses;
    for (std::size_t d = 0; d < bindings.size(); ++d) {
      memory.push_back(std::make_unique<OperandMemory>(instance->context_of(static_cast<int>(d))));
      TRY(memory.back()->add_all(program_, bindings[d]));
      addresses.push_back(memory.back()->addresses());
    }
    DeviceReport report;
    report.warnings = instance->compiler_notes();
    report.notes = notes();
    const ContextScope here(instance->context_of(0));
    TRY(here.entered());
    const auto take_results = [&]() -> Expected<void> {
      for (std::size_t d = 0; d < bindings.size(); ++d)
        TRY(memory[d]->take_results(program_, bindings[d]));
      return {};
    };
    if (checked != nullptr) {
      const RunOptions options = TRY(planning_options(given, bindings.size()));
      TRY(run_checked(*instance, addresses, bindings, options, take_results, *checked, report));
    } else {
      TRY(timed([&] { return instance->launch(addresses, nullptr); }, report.wall_seconds));
      TRY(take_results());
    }
    return report;
  } catch (...) {
    return given_up("running the task graph on GPUs");
  }

  // Requires that control reads no operand. Otherwise use launch_all() with the control inputs on
  // the host.
  Expected<void> launch(const DeviceAddresses& operands, void* stream,
                        const Pitches& pitches) override {
    if (!pitches.empty())
      return error(ErrorCode::unsupported, "a task graph takes operands whose rows are adjacent");
    return launch_all({operands}, {{}}, stream);
  }

  Expected<void> launch_all(const std::vector<DeviceAddresses>& operands,
                            const std::vector<DeviceBinding>& control, void* stream) override try {
    if (control.size() != operands.size())
      return error(
          fmt::format("operands of {} devices, and control inputs of {}: expected the same number",
                      operands.size(), control.size()));
    std::vector<DeviceBinding> bindings = control;
    for (const std::string& name : TRY(graphs_.control_inputs()))
      for (std::size_t d = 0; d < bindings.size(); ++d)
        if (!bindings[d].contains(name))
          return error(ErrorCode::unsupported,
                       fmt::format("`{}` of device {} decides the control flow, so the host needs "
                                   "it to plan: expected it in the control inputs of launch_all()",
                                   name, d));
    for (DeviceBinding& binding : bindings) add_unread(binding);
    return TRY(instance(bindings, {}))->launch(operands, stream);
  } catch (...) {
    return given_up("launching the task graph on GPUs");
  }

  std::vector<std::string> notes() const override {
    const std::lock_guard lock(mutex_);
    if (instance_ == nullptr) return {why_};
    const GraphPlan& plan = instance_->plan();
    return {fmt::format("{} nodes as {} steps of a CUDA graph, {} of them by fast kernels",
                        plan.graph->nodes.size(), plan.steps.size(), plan.products.size()),
            why_};
  }

 private:
  Expected<std::shared_ptr<GraphInstance>> instance(const std::vector<DeviceBinding>& bindings,
                                                    const DeviceOptions& given) {
    const RunOptions options = TRY(planning_options(given, bindings.size()));
    const std::shared_ptr<const graph::TaskGraph> graph = TRY(graphs_.of(bindings, options));
    const bool is_checked = graph::NodeCheckReport::of(given.interpreter) != nullptr;
    const std::lock_guard lock(mutex_);
    if (instance_ != nullptr && instance_->plan().graph == graph && !is_checked) return instance_;
    // Allocations here are not part of a capture by the caller.
    const RelaxedCapture allowed;
    const std::vector<Context> contexts = TRY(contexts_of(static_cast<int>(bindings.size())));
    const ContextScope here(contexts.front());
    TRY(here.entered());
    const DeviceFacts& facts = device_facts();
    GraphPlanOptions how;
    how.has_fast = facts.has_fast_kernels();
    how.max_ctas = 2 * std::max(1, facts.multiprocessors);
    // A joined step covers several nodes, so their writes could not be compared per node.
    if (is_checked) how.max_steps = std::numeric_limits<std::size_t>::max();
    GraphPlan plan = TRY(graph_plan(graph, how));
    plan.kernel.architecture = fmt::format("sm_{}{}", facts.major, facts.minor);
    if (instance_ != nullptr && instance_->is_captured()) captured_.push_back(instance_);
    return instance_ = TRY(GraphInstance::make(std::move(plan), contexts));
  }

  // Binds deferred tensors to operands that planning does not read.
  void add_unread(DeviceBinding& binding) {
    const std::lock_guard lock(mutex_);
    for (const Buffer& buffer : program_.buffers) {
      if (buffer.role == Role::scratch || binding.contains(buffer.name)) continue;
      const auto made = [&buffer] { return Tensor(buffer.dtype, stored_shape(buffer)); };
      const auto [found, is_new] = unread_.try_emplace(buffer.name);
      if (is_new) found->second = Tensor::deferred(buffer.dtype, stored_shape(buffer), made);
      binding[buffer.name] = &found->second;
    }
  }

  const Program program_;
  PlannedGraphs graphs_;
  const std::string why_;
  std::map<std::string, Tensor> unread_;
  mutable std::mutex mutex_;
  std::shared_ptr<GraphInstance> instance_;               // for the last graph
  std::vector<std::shared_ptr<GraphInstance>> captured_;  // captured earlier graphs
};

}  // namespace

std::unique_ptr<Executable> make_graph_program(const Program& structured,
                                               const std::string& why_graph) {
  return std::make_unique<GraphProgram>(structured, why_graph);
}

Support can_plan(const Program& structured) {
  const Expected<Program> expanded = expand(structured);
  if (!expanded) return {false, expanded.diags().front().message};
  const graph::LoadedScalars numbers(*expanded);
  if (!numbers.refused().empty()) return {false, numbers.refused().front().message};
  for (const StmtId s : expanded->body.ids()) {
    const Op& op = expanded->body[s].op;
    const OpClass kind = class_of(op);
    if (std::holds_alternative<ReadSem>(op))
      return {false, "it reads counts, so its actions depend on the run"};
    if ((kind != OpClass::tile && kind != OpClass::cells) || numbers.is_control(s)) continue;
    if (std::string why = refusal_of_call(op); !why.empty()) return {false, std::move(why)};
  }
  std::string read;
  const ControlFlow control = control_flow(*expanded);
  for (const BufferId b : control.buffers.ids())
    if (control.buffers[b] && expanded->buffers[b].role == Role::in)
      read += (read.empty() ? "" : ", ") + expanded->buffers[b].name;
  return {true, read.empty() ? "as a CUDA graph"
                             : fmt::format("as a CUDA graph; the host reads {}", read)};
}

}  // namespace tessera::cuda
