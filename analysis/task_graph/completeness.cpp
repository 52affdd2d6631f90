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

Diags not_covered(const TaskGraph& graph, StmtId statement, const MemoryAccess& access) {
  const Memory& memory = graph.memories[access.memory];
  return internal_error(
      graph.program, statement,
      fmt::format("no node {} {} of {} as the run does", access.writes ? "writes" : "reads",
                  slice_text(graph.program, memory.buffer, access.box),
                  graph.topology.name(memory.owner, graph.program.buffers[memory.buffer].space)));
}

// The accesses of one side.
class Covered {
 public:
  void set(const AccessList& accesses) {
    all_.assign(accesses.begin(), accesses.end());
    last_ = 0;
  }
  // True if the side reads (or writes, for a write) the whole rectangle.
  bool covers(const MemoryAccess& access) {
    if (access.box.empty()) return true;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const std::size_t at = (last_ + i) % all_.size();
      if (!concerns(all_[at], access) || !contains(all_[at].box, access.box)) continue;
      last_ = at;
      return true;
    }
    BoxCover cover;
    for (const MemoryAccess& known : all_)
      if (concerns(known, access)) cover.add(known.box);
    return cover.missing(access.box).empty();
  }

 private:
  static bool concerns(const MemoryAccess& known, const MemoryAccess& access) {
    return known.memory == access.memory && (access.writes ? known.writes : known.reads);
  }

  std::vector<MemoryAccess> all_;
  std::size_t last_ = 0;  // index of the access that covered the last rectangle
};

// The uncovered parts of the first of `boxes` that `from` does not cover; empty if it covers all.
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
    for (const MemoryAccess& access : log.reported[i])
      if (access.writes)
        return internal_error({}, {}, "a pipeline that writes is not a node of the task graph");
  }
  return {};
}

Expected<void> check_pipelines(
    const TaskGraph& graph, const Table<InstanceId, AccessList, GrownArray<AccessList>>& reported) {
  Covered side;
  for (const Node& node : graph.nodes) {
    if (!node.instance && !node.pattern) continue;
    side.set(graph.sides[node.first_side].accesses);
    if (node.instance) {
      for (const MemoryAccess& access : reported[node.instance])
        if (!side.covers(access)) return not_covered(graph, node.statement, access);
      continue;
    }
    for (const ActionId a : node.actions)
      for (const MemoryAccess& access : graph.accesses[a])
        if (access.writes && !graph.memories[access.memory].is_inner && !side.covers(access))
          return not_covered(graph, graph.actions[a].statement, access);
  }
  return {};
}

Expected<void> check_live(const TaskGraph& graph, const Table<NodeId, bool>& live) {
  if (std::find(live.begin(), live.end(), false) == live.end()) return {};
  for (const NodeSide& side : graph.sides) {
    if (!live[side.node]) continue;
    for (const Dependence& before : side.predecessors)
      if (before.is_flow && !live[graph.sides[before.side].node])
        return internal_error(graph.program, graph.nodes[side.node].statement,
                              "a node reads data of a node that is not in the task graph");
  }
  return {};
}

Expected<void> check_results(const TaskGraph& graph, std::map<MemoryId, BoundedBoxes>& written) {
  std::map<MemoryId, BoundedBoxes> by_nodes;
  for (const NodeSide& side : graph.sides)
    for (const MemoryAccess& access : side.accesses) {
      if (!access.writes) continue;
      const BufferId buffer = graph.memories[access.memory].buffer;
      if (buffer && graph.program.buffers[buffer].role == Role::out)
        by_nodes[access.memory].add(access.box);
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
