#include "devices/cuda/graph/graph_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/task_graph/footprint.h"
#include "core/report/try.h"
#include "devices/cuda/graph/call_writer.h"
#include "devices/cuda/graph/joined_steps.h"
#include "devices/cuda/lower/source_template.h"
#include "interp/memory/layout.h"

namespace tessera::cuda {
namespace {

constexpr std::int64_t alignment = 256;
// Bytes per CTA in a copy that is executed by a kernel.
constexpr std::int64_t moved_by_one = 64 << 10;

// Splits a region along its first dimension that is longer than one, into parts of about
// moved_by_one bytes.
std::vector<graph::CopyRegion> cut(const graph::CopyRegion& region, std::int64_t bytes) {
  if (bytes <= moved_by_one || !same_kept_sizes(region.src, region.dst)) return {region};
  int from = 0, to = 0;
  const auto next = [](const Box& box, int d) {
    while (d < box.rank && box.size[Box::at(d)] == 1) ++d;
    return d;
  };
  from = next(region.src, 0);
  to = next(region.dst, 0);
  if (from == region.src.rank || to == region.dst.rank) return {region};
  const std::int64_t rows = region.src.size[Box::at(from)];
  const std::int64_t parts = std::min(rows, (bytes + moved_by_one - 1) / moved_by_one);
  std::vector<graph::CopyRegion> all;
  for (std::int64_t p = 0; p < parts; ++p) {
    graph::CopyRegion part = region;
    const std::int64_t begin = rows * p / parts, end = rows * (p + 1) / parts;
    part.src.start[Box::at(from)] += begin;
    part.dst.start[Box::at(to)] += begin;
    part.src.size[Box::at(from)] = part.dst.size[Box::at(to)] = end - begin;
    all.push_back(part);
  }
  return all;
}

class Planner {
 public:
  Planner(std::shared_ptr<const graph::TaskGraph> graph, const GraphPlanOptions& options)
      : graph_(*graph),
        options_(options),
        private_(graph::private_memories(*graph)),
        own_(*graph, private_),
        writer_(*graph, own_, functions_) {
    plan_.graph = std::move(graph);
  }

  Expected<GraphPlan> run() {
    place_memories();
    const std::vector<graph::Task> tasks = graph::tasks(graph_, options_.smallest);
    std::vector<std::vector<std::size_t>> before(tasks.size());
    for (std::size_t t = 0; t < tasks.size(); ++t)
      for (const std::size_t after : tasks[t].after) before[after].push_back(t);
    ends_.resize(tasks.size());
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      std::set<std::size_t> steps;
      for (const std::size_t b : before[t]) steps.insert(ends_[b].begin(), ends_[b].end());
      TRY(add(tasks, t, steps));
    }
    if (options_.has_fast && drafts_.size() <= options_.max_steps) take_products();
    keep_own_apart();
    plan_.own_bytes = own_.bytes();
    join_steps(drafts_, options_.max_steps);
    finish();
    return std::move(plan_);
  }

 private:
  using Steps = std::set<std::size_t>;

  void place_memories() {
    plan_.scratch_bytes.assign(static_cast<std::size_t>(graph_.topology.devices), 0);
    for (const graph::MemoryId m : graph_.memories.ids()) {
      const graph::Memory& memory = graph_.memories[m];
      const bool is_number = !memory.buffer;
      if (private_[m] ||
          (!is_number && graph_.program.buffers[memory.buffer].role != Role::scratch)) {
        plan_.places.add(-1);
        continue;
      }
      std::int64_t bytes = 8;
      if (!is_number) {
        const Buffer& buffer = graph_.program.buffers[memory.buffer];
        bytes = elements(buffer.shape) * size_of(buffer.dtype);
      }
      std::int64_t& all =
          plan_.scratch_bytes[static_cast<std::size_t>(graph_.topology.device(memory.owner))];
      const std::int64_t unit = is_number ? 8 : alignment;
      all = (all + unit - 1) / unit * unit;
      plan_.places.add(all);
      all += bytes;
    }
  }

  Expected<void> add(const std::vector<graph::Task>& tasks, std::size_t t, const Steps& before) {
    const graph::Task& task = tasks[t];
    switch (task.kind) {
      case graph::TaskKind::copy:
        ends_[t] = {copy(task, before)};
        return {};
      case graph::TaskKind::begin:
        levels_.clear();
        ends_[t] = before;
        return {};
      case graph::TaskKind::end:
        ends_[t] = before;
        return {};
      case graph::TaskKind::work:
        break;
    }
    SubtaskWords subtask;
    for (const graph::ActionId action : task.actions) TRY(writer_.add(action, subtask));
    const int device = graph_.device(graph_.nodes[task.node]);
    // Subtasks of a node with the same predecessors are CTAs of one kernel.
    const auto found = task.is_last ? levels_.end() : levels_.find(before);
    std::size_t step = drafts_.size();
    if (found != levels_.end()) {
      step = found->second;
    } else {
      drafts_.push_back({.device = device, .node = task.node, .before = before});
      if (!task.is_last) levels_.emplace(before, step);
    }
    drafts_[step].uses_own |= uses_own(task);
    note_products(drafts_[step], task);
    drafts_[step].subtasks.push_back(std::move(subtask));
    ends_[t] = {step};
    return {};
  }

  bool uses_own(const graph::Task& task) const { return own_.bytes() > 0 && !task.actions.empty(); }

  void note_products(StepDraft& draft, const graph::Task& task) {
    if (!options_.has_fast || !draft.only_multiplies) return;
    const auto products = tile_products(graph_, private_, task.actions);
    draft.only_multiplies = products.has_value();
    if (products) draft.products.insert(draft.products.end(), products->begin(), products->end());
  }

  // If possible, assigns fast kernels to steps that only multiply. These steps need no private CTA
  // memory.
  void take_products() {
    for (StepDraft& draft : drafts_) {
      if (draft.copy || !draft.only_multiplies) continue;
      draft.listed = listed_product(graph_, draft.products);
      if (draft.listed) draft.uses_own = false;
    }
  }

  std::size_t copy(const graph::Task& task, const Steps& before) {
    const graph::Node& node = graph_.nodes[task.node];
    StepDraft draft{.device = graph_.device(node), .node = task.node, .before = before};
    std::vector<std::pair<const graph::Action*, graph::CopyRegion>> regions;
    for (const graph::ActionId a : node.actions)
      for (const graph::CopyRegion& region : graph::copy_regions(graph_, a))
        if (!region.dst.empty()) regions.emplace_back(&graph_.actions[a], region);
    if (regions.size() == 1 && !regions[0].first->adds) draft.copy = bytes_alone(regions[0]);
    for (const auto& [action, region] : regions) {
      const CallOperand to = operand_of(graph_, action->to().memory, region.dst);
      for (const graph::CopyRegion& part : cut(region, to.view.elements() * size_of(to.dtype))) {
        SubtaskWords subtask;
        writer_.add_piece(*action, part, subtask);
        draft.subtasks.push_back(std::move(subtask));
      }
    }
    drafts_.push_back(std::move(draft));
    return drafts_.size() - 1;
  }

  // Copy for the copy engine; nullopt unless the bytes are adjacent on both sides.
  std::optional<GraphCopy> bytes_alone(
      const std::pair<const graph::Action*, graph::CopyRegion>& moved) const {
    const CallOperand from = operand_of(graph_, moved.first->from().memory, moved.second.src),
                      to = operand_of(graph_, moved.first->to().memory, moved.second.dst);
    if (!is_dense(from.view) || !is_dense(to.view)) return std::nullopt;
    return GraphCopy{from.memory, to.memory, from.offset, to.offset,
                     to.view.elements() * size_of(to.dtype)};
  }

  // Kernels of one device share the private CTA memory, so those that use it run in commit order.
  void keep_own_apart() {
    std::map<int, std::size_t> last;
    for (std::size_t s = 0; s < drafts_.size(); ++s) {
      if (!drafts_[s].uses_own) continue;
      const auto [found, is_first] = last.try_emplace(drafts_[s].device, s);
      if (is_first) continue;
      drafts_[s].before.insert(found->second);
      found->second = s;
    }
  }

  void finish() {
    const auto devices = static_cast<std::size_t>(graph_.topology.devices);
    plan_.words.resize(devices);
    plan_.ctas.assign(devices, 0);
    for (StepDraft& draft : drafts_) {
      const auto device = static_cast<std::size_t>(draft.device);
      GraphStep step{.device = draft.device, .node = draft.node};
      step.before.assign(draft.before.begin(), draft.before.end());
      if (draft.copy) {
        step.kind = StepKind::copy;
        step.copy = *draft.copy;
      } else if (draft.listed) {
        step.kind = StepKind::product;
        step.product = plan_.products.size();
        plan_.products.push_back(*std::move(draft.listed));
      } else {
        std::vector<std::int64_t>& words = plan_.words[device];
        step.words = static_cast<std::int64_t>(words.size());
        step.subtasks = static_cast<std::int64_t>(draft.subtasks.size());
        step.ctas = static_cast<int>(std::clamp<std::int64_t>(step.subtasks, 1, options_.max_ctas));
        plan_.ctas[device] = std::max(plan_.ctas[device], step.ctas);
        append(draft, words);
      }
      plan_.steps.push_back(std::move(step));
    }
    LoweredKernel& kernel = plan_.kernel;
    kernel.entry = "tessera_graph_" + graph_.program.name;
    kernel.threads = options_.threads;
    kernel.plan = GeneralPlan{};
    kernel.summary = fmt::format("{}: kernels of a task graph", graph_.program.name);
    SourceTemplate source("graph.cu.in");
    source.set("summary", kernel.summary);
    source.set("threads", std::to_string(options_.threads));
    source.set("functions", functions_.definitions());
    source.set("cases", functions_.cases());
    source.set("entry", kernel.entry);
    kernel.source = source.text();
  }

  // Appends the start index of each subtask, then the subtasks (templates/graph.cu.in).
  static void append(const StepDraft& draft, std::vector<std::int64_t>& words) {
    auto at = static_cast<std::int64_t>(draft.subtasks.size());
    for (const SubtaskWords& subtask : draft.subtasks) {
      words.push_back(at);
      at += 1 + static_cast<std::int64_t>(subtask.words.size());
    }
    for (const SubtaskWords& subtask : draft.subtasks) {
      words.push_back(subtask.calls);
      words.insert(words.end(), subtask.words.begin(), subtask.words.end());
    }
  }

  const graph::TaskGraph& graph_;
  const GraphPlanOptions options_;
  const Table<graph::MemoryId, bool> private_;
  OwnMemory own_;
  CallFunctions functions_;
  CallWriter writer_;
  std::vector<StepDraft> drafts_;
  std::vector<Steps> ends_;              // by task: steps that complete the task
  std::map<Steps, std::size_t> levels_;  // steps of the current node, by predecessors
  GraphPlan plan_;
};

}  // namespace

Expected<GraphPlan> graph_plan(std::shared_ptr<const graph::TaskGraph> graph,
                               const GraphPlanOptions& options) {
  return Planner(std::move(graph), options).run();
}

}  // namespace tessera::cuda
