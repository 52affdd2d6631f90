// Tasks of a graph on the threads of this machine.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/task_engine/tasks.h"
#include "core/report/finding.h"
#include "core/report/stop.h"

namespace tessera {

struct TaskRunOptions {
  int threads = 1;
  Stop stop = nullptr;
  // For tests: the next task is any that is ready, and now and then a thread waits first. Without
  // it the next is the first in commit order.
  std::optional<std::uint64_t> shuffle{};
};

// For tests, of all runs on threads of this process that begin from now on: tasks are as small as
// may be, and the next is any that is ready. None: not so.
void shuffle_tasks(std::optional<std::uint64_t> seed);
std::optional<std::uint64_t> shuffled_tasks();

struct TaskRunEnd {
  bool is_stopped = false;  // by `stop`, before it was done
  std::vector<Finding> findings{};
};

// What the tasks throw is thrown when all threads are done.
TaskRunEnd run_tasks(const std::vector<graph::Task>& tasks, graph::GraphMemory& memories,
                     const graph::WorkerConfig& config, const TaskRunOptions& options);

}  // namespace tessera
