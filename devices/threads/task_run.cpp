#include "devices/threads/task_run.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "core/data/splitmix.h"

namespace tessera {
namespace {

// The calling thread performs tasks like each of its helpers, so a run ends with any number of
// helpers, also with none.
class TaskRun {
 public:
  TaskRun(const std::vector<graph::Task>& tasks, graph::GraphMemory& memories,
          const graph::WorkerConfig& config, const TaskRunOptions& options)
      : tasks_(tasks),
        memories_(memories),
        kit_(config),
        options_(options),
        random_(options.shuffle.value_or(0)),
        left_(tasks.size()) {
    for (const graph::Task& task : tasks) missing_.push_back(task.before);
    ready_.reserve(tasks.size());  // put() never throws
    for (std::size_t t = 0; t < tasks.size(); ++t)
      if (tasks[t].before == 0) put(t);
  }

  TaskRunEnd run() {
    std::vector<std::thread> helpers = start_helpers();
    serve();
    for (std::thread& helper : helpers) helper.join();
    if (thrown_) std::rethrow_exception(thrown_);
    return {is_stopped_, std::move(findings_)};
  }

 private:
  // Up to threads - 1. A thread that cannot be created is no error.
  std::vector<std::thread> start_helpers() {
    std::vector<std::thread> helpers;
    const std::size_t wanted = std::min(static_cast<std::size_t>(options_.threads), tasks_.size());
    if (wanted < 2) return helpers;
    try {
      helpers.reserve(wanted - 1);
      while (helpers.size() < wanted - 1) helpers.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    return helpers;
  }

  // The smallest number is on top.
  void put(std::size_t task) {
    ready_.push_back(task);
    std::push_heap(ready_.begin(), ready_.end(), std::greater<>());
  }

  std::size_t take() {
    if (options_.shuffle) {
      std::swap(ready_[random_.next() % ready_.size()], ready_.back());
    } else {
      std::pop_heap(ready_.begin(), ready_.end(), std::greater<>());
    }
    const std::size_t task = ready_.back();
    ready_.pop_back();
    return task;
  }

  // Performs tasks until none is left or the run is over.
  void serve() {
    try {
      std::optional<graph::Worker> own;  // created with the first task
      std::unique_lock lock(mutex_);
      while (wait_for_task(lock)) {
        const std::size_t task = take();
        const bool waits = options_.shuffle && random_.next() % 4 == 0;
        lock.unlock();
        if (!own) own.emplace(memories_, kit_);
        if (waits) std::this_thread::sleep_for(std::chrono::microseconds(200));
        const bool is_done = graph::perform(tasks_[task], memories_, *own);
        lock.lock();
        if (!is_done) return end_with(own->findings(), nullptr);
        finish(task);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      end_with({}, std::current_exception());
    }
  }

  // False if no task is left, or if the run is over.
  bool wait_for_task(std::unique_lock<std::mutex>& lock) {
    changed_.wait(lock, [&] { return !ready_.empty() || left_ == 0 || is_over_; });
    if (!is_over_ && left_ > 0 && is_stopped(options_.stop)) {
      is_stopped_ = true;
      end_with({}, nullptr);
    }
    return !is_over_ && left_ > 0;
  }

  // With the lock held, like end_with(). This thread performs one of the tasks that become ready.
  void finish(std::size_t task) {
    std::size_t ready = 0;
    for (const std::size_t next : tasks_[task].after) {
      if (--missing_[next] != 0) continue;
      put(next);
      ++ready;
    }
    if (--left_ == 0) return changed_.notify_all();
    for (std::size_t i = 1; i < ready; ++i) changed_.notify_one();
  }

  void end_with(std::vector<Finding> findings, std::exception_ptr thrown) {
    if (std::exchange(is_over_, true)) return;
    findings_ = std::move(findings);
    thrown_ = std::move(thrown);
    changed_.notify_all();
  }

  const std::vector<graph::Task>& tasks_;
  graph::GraphMemory& memories_;
  const graph::WorkerConfig& kit_;
  const TaskRunOptions& options_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  SplitMix random_;
  std::vector<std::size_t> ready_;    // a heap
  std::vector<std::size_t> missing_;  // by task: number of unfinished predecessors
  std::size_t left_;                  // unfinished tasks
  bool is_over_ = false, is_stopped_ = false;
  std::vector<Finding> findings_;
  std::exception_ptr thrown_;
};

}  // namespace

namespace {

std::mutex shuffle_mutex;
std::optional<std::uint64_t> shuffle;

}  // namespace

void shuffle_tasks(std::optional<std::uint64_t> seed) {
  const std::lock_guard lock(shuffle_mutex);
  shuffle = seed;
}

std::optional<std::uint64_t> shuffled_tasks() {
  const std::lock_guard lock(shuffle_mutex);
  return shuffle;
}

TaskRunEnd run_tasks(const std::vector<graph::Task>& tasks, graph::GraphMemory& memories,
                     const graph::WorkerConfig& config, const TaskRunOptions& options) {
  return TaskRun(tasks, memories, config, options).run();
}

}  // namespace tessera
