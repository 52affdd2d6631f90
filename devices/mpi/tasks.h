// The tasks of one process in a task graph: its own nodes and sides of copies, with their order.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/task_graph/task_graph.h"
#include "devices/mpi/shares.h"

namespace tessera::mpi {

// run: a node with all memories in this process, including both sides of copies. send, receive: one
// side of a copy; a peer has the other side.
enum class TaskKind : std::uint8_t { run, send, receive };

struct Task;
using TaskId = Id<Task>;

struct Task {
  TaskKind kind = TaskKind::run;
  graph::NodeId node{};
  int peer = -1;             // send, receive
  std::int64_t number = -1;  // position among the messages from its sender to its receiver, from 0
  std::vector<TaskId> after{};  // successors
  std::int64_t missing = 0;     // number of unfinished predecessors
};

// The messages with one peer in one direction, by number.
using Lane = std::vector<TaskId>;

struct Tasks {
  Table<TaskId, Task> tasks{};        // in commit order
  std::vector<Lane> sends, receives;  // by peer
};

// Returns the tasks of one process. processes: number of processes. All processes assign the same
// message numbers.
Tasks tasks_of(const graph::TaskGraph& graph, const Shares& shares, int processes, int process);

}  // namespace tessera::mpi
