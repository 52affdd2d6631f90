// What one process does of a task graph: its own nodes and sides of copies, and what of them has
// to be done before others.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/task_graph/task_graph.h"
#include "devices/mpi/shares.h"

namespace tessera::mpi {

// run: a node whose memories are all here, of copies both sides at once. send, receive: one side
// of a copy, the other is with a peer.
enum class TaskKind : std::uint8_t { run, send, receive };

struct Task;
using TaskId = Id<Task>;

struct Task {
  TaskKind kind = TaskKind::run;
  graph::NodeId node{};
  int peer = -1;             // of send and receive
  std::int64_t number = -1;  // of the message among those from its sender to its receiver
  std::vector<TaskId> after{};
  std::int64_t missing = 0;  // tasks that have to be done before
};

// The messages with one peer in one direction, by their numbers.
using Lane = std::vector<TaskId>;

struct Tasks {
  Table<TaskId, Task> tasks{};        // in commit order
  std::vector<Lane> sends, receives;  // by peer
};

// Every process gets the same numbers.
Tasks tasks_of(const graph::TaskGraph& graph, const Shares& shares, int processes, int process);

}  // namespace tessera::mpi
