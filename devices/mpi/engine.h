// Runs the part of a task graph that belongs to one process.
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

// For tests: other orders that the graph allows, and other limits.
struct Trial {
  Limits limits{};
  std::optional<std::uint64_t> seed{};  // for a random order; none: commit order
  std::int64_t longest_delay = 0;  // maximum of a random delay before each task, in microseconds
  std::function<void()> before{};  // called after planning, before the first task
};

class Engine {
 public:
  // Sets Worker::between(). tasks: tasks_of() the graph of `memories`. World, memories and worker
  // must outlive this object; the worker must not run after it.
  Engine(World& world, graph::GraphMemory& memories, graph::Worker& worker, Tasks tasks,
         const Trial& trial = {});
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Runs all tasks once, and moves messages meanwhile; releases the completed sides. Call it once.
  // A finding, an error of MPI or a stop request ends all processes (World::abort).
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
  std::set<TaskId> ready_;     // tasks of kind `run`
  std::vector<TaskId> drawn_;  // messages to post, for a random order
  std::size_t left_;
  std::mt19937_64 random_;
  Clock::duration longest_pause_;
  Clock::time_point due_{};
  Clock::duration cost_{};  // recent mean duration of a poll of MPI
};

}  // namespace tessera::mpi
