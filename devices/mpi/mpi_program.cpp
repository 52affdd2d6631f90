#include "devices/mpi/mpi_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "analysis/node_check/difference.h"
#include "analysis/node_check/node_check.h"
#include "analysis/node_check/node_check_report.h"
#include "core/report/guarded.h"
#include "core/report/try.h"
#include "devices/mpi/plan.h"
#include "devices/profiles/profile.h"
#include "interp/launch.h"
#include "interp/rerun.h"
#include "interp/run.h"

namespace tessera::mpi {
namespace {

using Clock = std::chrono::steady_clock;

RunOptions planning_options(const DeviceOptions& given, std::size_t devices) {
  RunOptions options =
      options_of_rerun(given.interpreter != nullptr ? *given.interpreter : RunOptions{});
  options.machine.devices = static_cast<int>(devices);
  options.machine.profile = given.profile;
  if (options.machine.profile.name.empty()) {
    const Expected<Profile> fallback = find_profile(default_profile);
    CHECK(fallback);
    options.machine.profile = fallback->machine;
  }
  return options;
}

class MpiProgram final : public Executable {
 public:
  MpiProgram(World& world, Program structured, Program expanded, const Trial& trial)
      : world_(world),
        points_(std::move(structured)),
        expanded_(std::move(expanded)),
        control_(control_flow(expanded_)),
        text_(program_text(expanded_)),
        trial_(trial) {}

  // of_all: one binding for each device; may be empty for devices of other processes. Process 0
  // gets the results of all devices if it has bindings for all.
  Expected<DeviceReport> run(const std::vector<DeviceBinding>& of_all,
                             const DeviceOptions& options) override {
    if (options.interpreter != nullptr && LaunchRecorder::observes(*options.interpreter))
      return keep(of_all, options);
    const std::size_t devices = of_all.size();
    if (devices < static_cast<std::size_t>(world_.size()))
      return error(fmt::format("{} for a run on {} device{}: each process needs at least one",
                               counted_processes(world_.size()), devices, devices == 1 ? "" : "s"));
    return run_part(Shares(static_cast<int>(devices), world_.size()), of_all, options);
  }

 private:
  // A plan is valid for the control inputs for which it was made.
  struct Plan {
    std::uint64_t inputs = 0;
    graph::TaskGraph graph;
    std::unique_ptr<const graph::WorkerConfig> kit;
    std::unique_ptr<graph::ScratchPool> scratch;  // reused by later runs
    graph::ElidedCopies forwards{};
    Tasks tasks{};  // tasks of this process
  };

  // Comparison with a run of the interpreter. Both null: no comparison.
  struct Comparison {
    graph::NodeCheck* node_check = nullptr;
    graph::NodeCheckReport* report = nullptr;
  };

  Expected<DeviceReport> keep(const std::vector<DeviceBinding>& of_all,
                              const DeviceOptions& options) {
    RunOptions recorded = planning_options(options, of_all.size());
    recorded.observers = options.interpreter->observers;
    TRY(tessera::run(expanded_, of_all, recorded));
    return DeviceReport{};
  }

  Expected<const Plan*> plan(const Shares& shares, const std::vector<DeviceBinding>& of_all,
                             const RunOptions& options) {
    const auto inputs = TRY(ControlInputs::gather(world_, shares, expanded_, control_,
                                                  text_ + ", " + planning_text(options), of_all));
    if (plan_ == nullptr || plan_->inputs != inputs->hash()) {
      plan_.reset();
      auto made = std::make_unique<Plan>(
          Plan{inputs->hash(), TRY(agreed_graph(world_, expanded_, points_, *inputs, options)),
               nullptr, std::make_unique<graph::ScratchPool>()});
      TRY(keep_own(made->graph, shares, world_.rank()));
      made->forwards = graph::elide_copies(made->graph, graph::private_memories(made->graph),
                                           shares.held(world_.rank()));
      made->tasks = tasks_of(made->graph, shares, world_.size(), world_.rank());
      made->kit = TRY(graph::worker_config(made->graph, options.math));
      plan_ = std::move(made);
    }
    return plan_.get();
  }

  Expected<DeviceReport> run_part(const Shares& shares, const std::vector<DeviceBinding>& of_all,
                                  const DeviceOptions& given) try {
    const RunOptions options = planning_options(given, of_all.size());
    const Plan& plan = *TRY(this->plan(shares, of_all, options));
    graph::NodeCheckReport* const checked = graph::NodeCheckReport::of(given.interpreter);
    if (checked == nullptr) return run_graph(plan, shares, of_all, {});
    const auto node_check = TRY(this->node_check(plan, of_all, options));
    if (node_check->findings().empty())
      return run_graph(plan, shares, of_all, {node_check.get(), checked});
    DeviceReport report;
    report.findings = node_check->findings();
    return report;
  } catch (...) {
    return given_up("running a program on several processes");
  }

  // Runs the interpreter in every process. Each process compares its own nodes.
  Expected<std::unique_ptr<graph::NodeCheck>> node_check(const Plan& plan,
                                                         const std::vector<Binding>& of_all,
                                                         const RunOptions& options) {
    if (!has_all(of_all))
      return error(
          ErrorCode::unsupported,
          "--check-nodes: each process needs the operands of all devices, which the interpreter "
          "runs with");
    auto made = TRY(graph::NodeCheck::make(plan.graph, of_all, options));
    TRY(world_.agree({}));  // no process continues alone
    return made;
  }

  static bool has_all(const std::vector<Binding>& bindings) {
    return std::none_of(bindings.begin(), bindings.end(),
                        [](const Binding& one) { return one.empty(); });
  }

  // From here on no process can leave alone, because others wait for its messages.
  Expected<DeviceReport> run_graph(const Plan& plan, const Shares& shares,
                                   const std::vector<Binding>& bindings,
                                   const Comparison& compared) try {
    graph::GraphMemory memories(plan.graph, bindings, shares.held(world_.rank()),
                                plan.scratch.get());
    memories.set_observer(compared.node_check);
    memories.elide_copies(plan.forwards);
    graph::Worker worker(memories, *plan.kit);
    Engine engine(world_, memories, worker, plan.tasks, trial_);
    const Clock::time_point begin = Clock::now();
    engine.run();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const auto texts =
        world_.agree(fmt::format("{} {} {} {}", engine.sent().messages, engine.sent().bytes,
                                 has_all(bindings) ? 1 : 0, seconds));
    if (!texts) world_.abort(render(texts.diags()));
    DeviceReport report;
    if (take(*texts, shares, report)) collect_results(shares, bindings);
    if (compared.node_check == nullptr) return report;
    compared.node_check->compare_results(shares.held(world_.rank()));
    TRY(take(compared, plan.graph, report));
    return report;
  } catch (...) {
    world_.abort(render(Diags{given_up("running a program on several processes")}));
  }

  // Reads the reports of all processes. True if process 0 has bindings for all devices.
  bool take(const std::vector<std::string>& texts, const Shares& shares, DeviceReport& report) {
    Sent all;
    bool wants_all = false;
    for (std::size_t process = 0; process < texts.size(); ++process) {
      Sent one;
      int has_all = 0;
      double seconds = 0;
      CHECK(std::sscanf(texts[process].c_str(), "%ld %ld %d %lf", &one.messages, &one.bytes,
                        &has_all, &seconds) == 4);
      all.messages += one.messages;
      all.bytes += one.bytes;
      wants_all |= process == 0 && has_all != 0;
      report.wall_seconds = std::max(report.wall_seconds, seconds);
    }
    world_.note({fmt::format("by {}, {}", world_.library(), shares.text()),
                 fmt::format("{} messages between processes, {} bytes", all.messages, all.bytes)});
    return wants_all;
  }

  // Collects the findings of all processes. The process with the first node that differs, or with
  // the first result if no node does, determines the write.
  Expected<void> take(const Comparison& compared, const graph::TaskGraph& graph,
                      DeviceReport& report) {
    const graph::NodeCheck& node_check = *compared.node_check;
    const graph::Tally own = node_check.tally();
    graph::Tally all{.nodes = own.nodes};
    for (const std::string& one : TRY(world_.agree(graph::packed(own))))
      all.add(graph::tally_of(one));
    const std::int32_t own_result = node_check.different_result().index;
    std::int32_t result = -1;  // first result that differs
    for (const std::string& one : TRY(world_.agree(fmt::to_string(own_result))))
      if (const std::int32_t other = std::stoi(one); other >= 0)
        result = result < 0 ? other : std::min(result, other);
    std::optional<Finding> first;
    if (all.first >= 0 || result >= 0) {
      std::string found;
      if (all.first >= 0 ? own.first == all.first : own_result == result) {
        const Expected<Finding> finding = node_check.first_difference(all);
        if (!finding) world_.abort(render(finding.diags()));
        found = graph::packed(*finding);
      }
      for (const std::string& one : TRY(world_.agree(found)))
        if (!one.empty()) first = graph::finding_of(graph.program, one);
    }
    return graph::take(all, std::move(first), *compared.report, report.findings);
  }

  // Copies the results of all devices to process 0.
  void collect_results(const Shares& shares, const std::vector<DeviceBinding>& of_all) {
    for (std::size_t device = 0; device < of_all.size(); ++device) {
      const int owner = shares.owner(static_cast<int>(device));
      if (owner == 0 || (world_.rank() != 0 && world_.rank() != owner)) continue;
      for (const Buffer& buffer : expanded_.buffers) {
        if (buffer.role != Role::out) continue;
        Tensor& tensor = *of_all[device].find(buffer.name)->second;
        world_.bring({tensor.data(), static_cast<std::size_t>(tensor.bytes())}, owner);
      }
    }
  }

  World& world_;
  JudgedPoints points_;
  Program expanded_;
  ControlFlow control_;
  std::string text_;
  Trial trial_;
  std::unique_ptr<const Plan> plan_;
};

}  // namespace

std::unique_ptr<Executable> mpi_program(World& world, Program structured, Program expanded,
                                        const Trial& trial) {
  return std::make_unique<MpiProgram>(world, std::move(structured), std::move(expanded), trial);
}

}  // namespace tessera::mpi
