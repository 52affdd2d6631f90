#include "analysis/task_graph/completeness.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "core/report/try.h"
#include "interp/findings/describe.h"
#include "interp/memory/box_cover.h"

namespace tessera::graph {
namespace {

std::mutex fault_mutex;
PlanningFault planted;

Diags internal_error(const Program& program, StmtId statement, const std::string& what) {
  return {{ErrorCode::runtime,
           statement ? program.loc(statement) : Loc{},
           fmt::format("internal error: {}; the task graph is not run (please report the program)",
                       what),
           {}}};
}

Diags not_covered(const TaskGraph& graph, StmtId statement, const Touch& touch) {
  const Memory& memory = graph.memories[touch.memory];
  return internal_error(
      graph.program, statement,
      fmt::format("no node {} {} of {} as the run does", touch.writes ? "writes" : "reads",
                  slice_text(graph.program, memory.buffer, touch.box),
                  graph.topology.name(memory.home, graph.program.buffers[memory.buffer].space)));
}

// The accesses of one half.
class Covered {
 public:
  void set(const Touches& touches) {
    all_.assign(touches.begin(), touches.end());
    last_ = 0;
  }
  // Whether the half reads, or writes, all of the rectangle.
  bool covers(const Touch& touch) {
    if (touch.box.empty()) return true;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const std::size_t at = (last_ + i) % all_.size();
      if (!concerns(all_[at], touch) || !contains(all_[at].box, touch.box)) continue;
      last_ = at;
      return true;
    }
    BoxCover cover;
    for (const Touch& known : all_)
      if (concerns(known, touch)) cover.add(known.box);
    return cover.missing(touch.box).empty();
  }

 private:
  static bool concerns(const Touch& known, const Touch& touch) {
    return known.memory == touch.memory && (touch.writes ? known.writes : known.reads);
  }

  std::vector<Touch> all_;
  std::size_t last_ = 0;  // the one that covered the last rectangle
};

// The parts of `boxes` that no box in `from` covers.
std::vector<Box> missing(const std::vector<Box>& boxes, const std::vector<Box>& from) {
  BoxCover cover;
  for (const Box& box : from) cover.add(box);
  for (const Box& box : boxes)
    if (std::vector<Box> left = cover.missing(box); !left.empty()) return left;
  return {};
}

}  // namespace

Expected<void> check_nodes(const Log& log, const Nodes& nodes) {
  Table<InstanceId, bool> has_node(log.instances.all.size(), false);
  std::size_t actions = 0;
  bool is_twice = false;
  for (const Node& node : nodes) {
    if (!node.instance) {
      actions += node.actions.size();
      continue;
    }
    is_twice |= has_node[node.instance];
    has_node[node.instance] = true;
  }
  if (is_twice || actions != log.actions.size())
    return internal_error({}, {},
                          fmt::format("the nodes have {} of the {} ops and copies of the run",
                                      actions, log.actions.size()));
  for (const InstanceId i : log.instances.all.ids()) {
    if (has_node[i]) continue;
    for (const Touch& touch : log.reported[i])
      if (touch.writes)
        return internal_error({}, {}, "a pipeline that writes is no node of the task graph");
  }
  return {};
}

Expected<void> check_pipelines(const TaskGraph& graph,
                               const Table<InstanceId, Touches, GrownArray<Touches>>& reported) {
  Covered half;
  for (const Node& node : graph.nodes) {
    if (!node.instance && !node.pattern) continue;
    half.set(graph.halves[node.first].touches);
    if (node.instance) {
      for (const Touch& touch : reported[node.instance])
        if (!half.covers(touch)) return not_covered(graph, node.statement, touch);
      continue;
    }
    for (const ActionId a : node.actions)
      for (const Touch& touch : graph.touches[a])
        if (touch.writes && !graph.memories[touch.memory].is_inner && !half.covers(touch))
          return not_covered(graph, graph.actions[a].statement, touch);
  }
  return {};
}

Expected<void> check_live(const TaskGraph& graph, const Table<NodeId, bool>& live) {
  if (std::find(live.begin(), live.end(), false) == live.end()) return {};
  for (const Half& half : graph.halves) {
    if (!live[half.node]) continue;
    for (const Before& before : half.before)
      if (before.is_data && !live[graph.halves[before.half].node])
        return internal_error(graph.program, graph.nodes[half.node].statement,
                              "a node reads data of a node that is not in the task graph");
  }
  return {};
}

Expected<void> check_results(const TaskGraph& graph, std::map<MemoryId, BoundedBoxes>& written) {
  std::map<MemoryId, BoundedBoxes> by_nodes;
  for (const Half& half : graph.halves)
    for (const Touch& touch : half.touches) {
      if (!touch.writes) continue;
      const BufferId buffer = graph.memories[touch.memory].buffer;
      if (buffer && graph.program.buffers[buffer].role == Role::out)
        by_nodes[touch.memory].add(touch.box);
    }
  for (const auto& [memory, boxes] : by_nodes) written.try_emplace(memory);
  for (auto& [memory, boxes] : written) {
    const std::vector<Box> run = boxes.take(), nodes = by_nodes[memory].take();
    if (std::equal(run.begin(), run.end(), nodes.begin(), nodes.end(), same_rectangle)) continue;
    for (const Box& box : missing(run, nodes))
      return not_covered(graph, {}, {memory, false, true, box});
    for (const Box& box : missing(nodes, run))
      return internal_error(
          graph.program, {},
          fmt::format("a node writes {}, which the run does not write",
                      slice_text(graph.program, graph.memories[memory].buffer, box)));
  }
  written.clear();
  return {};
}

void plant_planning_fault(PlanningFault fault) {
  const std::lock_guard lock(fault_mutex);
  planted = std::move(fault);
}

PlanningFault planted_planning_fault() {
  const std::lock_guard lock(fault_mutex);
  return planted;
}

}  // namespace tessera::graph
