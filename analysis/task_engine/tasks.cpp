#include "analysis/task_engine/tasks.h"

#include <set>
#include <utility>

namespace tessera::graph {
namespace {

class TaskList {
 public:
  TaskList(const TaskGraph& graph, std::int64_t min_work)
      : graph_(graph),
        min_(min_work),
        private_(private_memories(graph)),
        last_(graph.nodes.size()) {}

  std::vector<Task> made() {
    for (const NodeId node : graph_.nodes.ids()) {
      if (graph_.nodes[node].copies())
        last_[node] = add({.kind = TaskKind::copy, .node = node}, befores(node));
      else
        add_work(node);
    }
    return std::move(tasks_);
  }

 private:
  // The last tasks of the node's predecessors.
  std::set<std::size_t> befores(NodeId node) const {
    std::set<std::size_t> all;
    const Node& of = graph_.nodes[node];
    for (int h = 0; h < of.side_count; ++h)
      for (const Dependence& before : graph_.sides[of.first_side + h].predecessors)
        if (const NodeId other = graph_.sides[before.side].node; other != node)
          all.insert(last_[other]);
    return all;
  }

  std::size_t add(Task task, const std::set<std::size_t>& befores) {
    for (const std::size_t before : befores) tasks_[before].after.push_back(tasks_.size());
    task.before = befores.size();
    tasks_.push_back(std::move(task));
    return tasks_.size() - 1;
  }

  void add_work(NodeId node) {
    std::vector<Subtask> all = subtasks(graph_, private_, node, min_);
    if (all.size() == 1) {
      last_[node] = add({.node = node, .actions = std::move(all.front().actions)}, befores(node));
      return;
    }
    const std::size_t begin =
        add({.kind = TaskKind::begin, .node = node, .is_last = false}, befores(node));
    std::set<std::size_t> ends{begin};
    for (Subtask& subtask : all) {
      std::set<std::size_t> before{begin};
      for (const std::size_t b : subtask.predecessors) before.insert(begin + 1 + b);
      ends.insert(
          add({.node = node, .actions = std::move(subtask.actions), .is_last = false}, before));
    }
    last_[node] = add({.kind = TaskKind::end, .node = node}, ends);
  }

  const TaskGraph& graph_;
  const std::int64_t min_;
  const Table<MemoryId, bool> private_;
  Table<NodeId, std::size_t> last_;
  std::vector<Task> tasks_;
};

}  // namespace

std::vector<Task> tasks(const TaskGraph& graph, std::int64_t min_work) {
  return TaskList(graph, min_work).made();
}

bool perform(const Task& task, GraphMemory& memories, Worker& worker) {
  if (task.kind == TaskKind::copy) memories.move(task.node);
  if (task.kind == TaskKind::work && !worker.run(task.actions)) return false;
  if (!task.is_last) return true;
  const Node& node = memories.graph().nodes[task.node];
  for (int h = 0; h < node.side_count; ++h) memories.release(node.first_side + h);
  return true;
}

}  // namespace tessera::graph
