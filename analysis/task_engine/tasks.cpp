#include "analysis/task_engine/tasks.h"

#include <set>
#include <utility>

namespace tessera::graph {
namespace {

class TaskList {
 public:
  TaskList(const TaskGraph& graph, std::int64_t smallest)
      : graph_(graph),
        smallest_(smallest),
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
  // The last tasks of nodes that are before one.
  std::set<std::size_t> befores(NodeId node) const {
    std::set<std::size_t> all;
    const Node& of = graph_.nodes[node];
    for (int h = 0; h < of.halves; ++h)
      for (const Before& before : graph_.halves[of.first + h].before)
        if (const NodeId other = graph_.halves[before.half].node; other != node)
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
    std::vector<Strand> all = strands(graph_, private_, node, smallest_);
    if (all.size() == 1) {
      last_[node] = add({.node = node, .actions = std::move(all.front().actions)}, befores(node));
      return;
    }
    const std::size_t begin =
        add({.kind = TaskKind::begin, .node = node, .is_last = false}, befores(node));
    std::set<std::size_t> ends{begin};
    for (Strand& strand : all) {
      std::set<std::size_t> before{begin};
      for (const std::size_t b : strand.before) before.insert(begin + 1 + b);
      ends.insert(
          add({.node = node, .actions = std::move(strand.actions), .is_last = false}, before));
    }
    last_[node] = add({.kind = TaskKind::end, .node = node}, ends);
  }

  const TaskGraph& graph_;
  const std::int64_t smallest_;
  const Table<MemoryId, bool> private_;
  Table<NodeId, std::size_t> last_;
  std::vector<Task> tasks_;
};

}  // namespace

std::vector<Task> tasks(const TaskGraph& graph, std::int64_t smallest) {
  return TaskList(graph, smallest).made();
}

bool perform(const Task& task, Memories& memories, Worker& worker) {
  if (task.kind == TaskKind::copy) memories.move(task.node);
  if (task.kind == TaskKind::work && !worker.run(task.actions)) return false;
  if (!task.is_last) return true;
  const Node& node = memories.graph().nodes[task.node];
  for (int h = 0; h < node.halves; ++h) memories.leave(node.first + h);
  return true;
}

}  // namespace tessera::graph
