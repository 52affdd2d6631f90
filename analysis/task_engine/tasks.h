// A task graph as what threads take and do: nodes of copies, subtasks of the others, and which have
// to be done before each.
#pragma once
#include <cstddef>
#include <vector>

#include "analysis/task_engine/subtasks.h"
#include "analysis/task_engine/worker.h"

namespace tessera::graph {

// begin, end: of a node of several subtasks, with nothing to do but to let others begin.
enum class TaskKind : std::uint8_t { copy, work, begin, end };

struct Task {
  TaskKind kind = TaskKind::work;
  NodeId node{};
  std::vector<ActionId> actions{};   // of work
  bool is_last = true;               // of its node
  std::size_t before = 0;            // how many have to be done before it
  std::vector<std::size_t> after{};  // who waits for it; all stand behind it
};

// In commit order, each behind what it waits for. smallest: of a subtask, in work.
std::vector<Task> tasks(const TaskGraph& graph, std::int64_t smallest = min_strand);

// False where an op has found something wrong, which the worker's findings() tell.
bool perform(const Task& task, GraphMemory& memories, Worker& worker);

}  // namespace tessera::graph
