// Runs the tasks of a graph on threads of this machine.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/task_engine/tasks.h"
#include "core/report/finding.h"
#include "core/report/stop.h"

namespace tessera {

struct TaskRunOptions {
  int threads = 1;      // at least 1
  Stop stop = nullptr;  // polled before each task
  // For tests: seed for taking a random ready task, and for a thread to wait sometimes. None: the
  // first ready task in commit order.
  std::optional<std::uint64_t> shuffle{};
};

// For tests: runs on threads that begin later in this process use tasks that are as small as
// possible, and take a random ready task. None: off.
void shuffle_tasks(std::optional<std::uint64_t> seed);
// Returns the seed of the last call of shuffle_tasks(); none: off.
std::optional<std::uint64_t> shuffled_tasks();

struct TaskRunEnd {
  bool is_stopped = false;  // by `stop`, before the end
  std::vector<Finding> findings{};
};

// Runs all tasks on at most `threads` threads, including the calling one. Ends early on a stop
// request, or with the findings of the first task that has some. Rethrows the first exception of a
// task after all threads have ended. tasks: graph::tasks() of the graph of `memories`.
TaskRunEnd run_tasks(const std::vector<graph::Task>& tasks, graph::GraphMemory& memories,
                     const graph::WorkerConfig& config, const TaskRunOptions& options);

}  // namespace tessera
