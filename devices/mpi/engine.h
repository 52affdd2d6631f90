// Runs one process's part of a task graph.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "analysis/task_engine/worker.h"
#include "core/report/stop.h"
#include "devices/mpi/post_office.h"

namespace tessera::mpi {

// For tests: other orders, which the graph allows as well, and other limits.
struct Trial {
  Limits limits{};
  std::optional<std::uint64_t>
      seed{};                      // draws among what may be done; else the first in commit order
  std::int64_t longest_delay = 0;  // microseconds, drawn before each task
  std::function<void()> before{};  // is called when the plan is made, before the first task
};

class Engine {
 public:
  // They live longer.
  Engine(World& world, graph::GraphMemory& memories, graph::Worker& worker, Tasks tasks,
         const Trial& trial = {});
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // All tasks; messages move meanwhile. What goes wrong, and a request to stop, end all processes.
  void run();
  const Sent& sent() const { return office_.sent(); }

 private:
  using Clock = std::chrono::steady_clock;

  void release(TaskId task);
  void finish(TaskId task);
  void bring(TaskId task);
  bool exchange();
  void exchange_if_due();
  TaskId next();
  void delay();
  void work(TaskId task);

  World& world_;
  graph::GraphMemory& memories_;
  graph::Worker& worker_;
  Tasks tasks_;
  Trial trial_;
  PostOffice office_;
  std::set<TaskId> ready_;     // nodes to run
  std::vector<TaskId> drawn_;  // messages to post in another order than they came
  std::size_t left_;
  std::mt19937_64 random_;
  Clock::duration longest_pause_;
  Clock::time_point due_{};
  Clock::duration cost_{};  // of letting MPI work, lately
};

}  // namespace tessera::mpi
