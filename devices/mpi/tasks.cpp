#include "devices/mpi/tasks.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tessera::mpi {
namespace {

using graph::NodeId;
using graph::SideId;

class Maker {
 public:
  Maker(const graph::TaskGraph& graph, const Shares& shares, int processes, int process)
      : graph_(graph), shares_(shares), process_(process), task_of_(graph.sides.size()) {
    made_.sends.resize(static_cast<std::size_t>(processes));
    made_.receives.resize(static_cast<std::size_t>(processes));
  }

  Tasks make() {
    for (const NodeId n : graph_.nodes.ids()) add(n);
    for (const SideId h : graph_.sides.ids())
      if (task_of_[h]) order(h);
    return std::move(made_);
  }

 private:
  int process_of(SideId side) const {
    return shares_.owner(graph_.topology.device(graph_.owner(graph_.sides[side])));
  }

  TaskId add(TaskKind kind, NodeId node) { return made_.tasks.add({.kind = kind, .node = node}); }

  void add(NodeId node) {
    const graph::Node& of = graph_.nodes[node];
    const int from = process_of(of.first_side);
    if (of.side_count == 1) {
      if (from == process_) task_of_[of.first_side] = add(TaskKind::run, node);
      return;
    }
    const int to = process_of(of.first_side + 1);
    if (from == to) {
      if (from == process_)
        task_of_[of.first_side] = task_of_[of.first_side + 1] = add(TaskKind::run, node);
    } else if (from == process_) {
      task_of_[of.first_side] = message(TaskKind::send, node, to, made_.sends);
    } else if (to == process_) {
      task_of_[of.first_side + 1] = message(TaskKind::receive, node, from, made_.receives);
    }
  }

  TaskId message(TaskKind kind, NodeId node, int peer, std::vector<Lane>& lanes) {
    Lane& lane = lanes[static_cast<std::size_t>(peer)];
    const TaskId task = add(kind, node);
    made_.tasks[task].peer = peer;
    made_.tasks[task].number = static_cast<std::int64_t>(lane.size());
    lane.push_back(task);
    return task;
  }

  void order(SideId side) {
    const TaskId task = task_of_[side];
    for (const graph::Dependence& before : graph_.sides[side].predecessors) {
      const TaskId earlier = task_of_[before.side];
      if (earlier == task) continue;
      std::vector<TaskId>& after = made_.tasks[earlier].after;
      if (std::find(after.begin(), after.end(), task) != after.end()) continue;
      after.push_back(task);
      ++made_.tasks[task].missing;
    }
  }

  const graph::TaskGraph& graph_;
  const Shares& shares_;
  int process_;
  Table<SideId, TaskId> task_of_;  // tasks of this process
  Tasks made_;
};

}  // namespace

Tasks tasks_of(const graph::TaskGraph& graph, const Shares& shares, int processes, int process) {
  return Maker(graph, shares, processes, process).make();
}

}  // namespace tessera::mpi
