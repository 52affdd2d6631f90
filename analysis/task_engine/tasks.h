// Tasks for threads: nodes of copies and subtasks of the other nodes, with their dependences.
#pragma once
#include <cstddef>
#include <vector>

#include "analysis/task_engine/subtasks.h"
#include "analysis/task_engine/worker.h"

namespace tessera::graph {

// begin, end: empty tasks around the subtasks of a node; they only release their successors.
enum class TaskKind : std::uint8_t { copy, work, begin, end };

struct Task {
  TaskKind kind = TaskKind::work;
  NodeId node{};
  std::vector<ActionId> actions{};   // for `work`
  bool is_last = true;               // last task of its node
  std::size_t before = 0;            // number of predecessors
  std::vector<std::size_t> after{};  // successors, all of them later in the list
};

// Returns the tasks of a graph, which must not be folded, in commit order, each after its
// predecessors. min_work: as for subtasks().
std::vector<Task> tasks(const TaskGraph& graph, std::int64_t min_work = min_subtask_work);

// Performs a task; the last task of a node also releases the node's sides (GraphMemory::release).
// False if an op reported a finding (Worker::findings); the sides are then not released.
bool perform(const Task& task, GraphMemory& memories, Worker& worker);

}  // namespace tessera::graph
