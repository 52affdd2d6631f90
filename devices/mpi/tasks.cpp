#include "devices/mpi/tasks.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tessera::mpi {
namespace {

using graph::HalfId;
using graph::NodeId;

class Maker {
 public:
  Maker(const graph::TaskGraph& graph, const Shares& shares, int processes, int process)
      : graph_(graph), shares_(shares), process_(process), task_of_(graph.halves.size()) {
    made_.sends.resize(static_cast<std::size_t>(processes));
    made_.receives.resize(static_cast<std::size_t>(processes));
  }

  Tasks make() {
    for (const NodeId n : graph_.nodes.ids()) add(n);
    for (const HalfId h : graph_.halves.ids())
      if (task_of_[h]) order(h);
    return std::move(made_);
  }

 private:
  int process_of(HalfId half) const {
    return shares_.owner(graph_.topology.device(graph_.home(graph_.halves[half])));
  }

  TaskId add(TaskKind kind, NodeId node) { return made_.tasks.add({.kind = kind, .node = node}); }

  void add(NodeId node) {
    const graph::Node& of = graph_.nodes[node];
    const int from = process_of(of.first);
    if (of.halves == 1) {
      if (from == process_) task_of_[of.first] = add(TaskKind::run, node);
      return;
    }
    const int to = process_of(of.first + 1);
    if (from == to) {
      if (from == process_) task_of_[of.first] = task_of_[of.first + 1] = add(TaskKind::run, node);
    } else if (from == process_) {
      task_of_[of.first] = message(TaskKind::send, node, to, made_.sends);
    } else if (to == process_) {
      task_of_[of.first + 1] = message(TaskKind::receive, node, from, made_.receives);
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

  void order(HalfId half) {
    const TaskId task = task_of_[half];
    for (const graph::Before& before : graph_.halves[half].before) {
      const TaskId earlier = task_of_[before.half];
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
  Table<HalfId, TaskId> task_of_;  // of this process
  Tasks made_;
};

}  // namespace

Tasks tasks_of(const graph::TaskGraph& graph, const Shares& shares, int processes, int process) {
  return Maker(graph, shares, processes, process).make();
}

}  // namespace tessera::mpi
