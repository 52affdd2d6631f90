#include "devices/threads/task_run.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "core/data/splitmix.h"

namespace tessera {
namespace {

class TaskRun {
 public:
  TaskRun(const std::vector<graph::Task>& tasks, graph::Memories& memories, const graph::Kit& kit,
          const TaskRunOptions& options)
      : tasks_(tasks),
        memories_(memories),
        kit_(kit),
        options_(options),
        random_(options.shuffle.value_or(0)),
        most_(tbb::global_control::max_allowed_parallelism,
              static_cast<std::size_t>(options.threads)),
        arena_(options.threads),
        workers_(static_cast<std::size_t>(options.threads)) {
    for (const graph::Task& task : tasks) missing_.push_back(task.before);
  }

  TaskRunEnd run() {
    const std::size_t ready = begin();
    arena_.execute([&] {
      call(ready);
      group_.wait();
    });
    // The lock orders what follows behind all that the threads have done, for whoever cannot see
    // into the library that waited.
    const std::lock_guard lock(mutex_);
    if (thrown_) std::rethrow_exception(thrown_);
    return {is_stopped_, std::move(findings_)};
  }

 private:
  // How many tasks are ready at first.
  std::size_t begin() {
    const std::lock_guard lock(mutex_);
    for (std::size_t t = 0; t < tasks_.size(); ++t)
      if (tasks_[t].before == 0) put(t);
    return ready_.size();
  }

  // One call of a thread for each task that is ready: it takes the first that is then.
  void call(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) group_.run([this] { serve(); });
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

  graph::Worker& worker() {
    auto& own = workers_[static_cast<std::size_t>(tbb::this_task_arena::current_thread_index())];
    if (own == nullptr) own = std::make_unique<graph::Worker>(memories_, kit_);
    return *own;
  }

  void serve() {
    std::size_t task = 0;
    bool waits = false;
    {
      const std::lock_guard lock(mutex_);
      if (is_over_) return;
      if (is_stopped(options_.stop)) {
        is_stopped_ = is_over_ = true;
        return;
      }
      task = take();
      waits = options_.shuffle && random_.next() % 4 == 0;
    }
    if (waits) std::this_thread::sleep_for(std::chrono::microseconds(200));
    try {
      graph::Worker& own = worker();
      if (graph::perform(tasks_[task], memories_, own)) return finish(task);
      end_with(own.findings(), nullptr);
    } catch (...) {
      end_with({}, std::current_exception());
    }
  }

  void finish(std::size_t task) {
    std::size_t ready = 0;
    {
      const std::lock_guard lock(mutex_);
      for (const std::size_t next : tasks_[task].after) {
        if (--missing_[next] != 0) continue;
        put(next);
        ++ready;
      }
    }
    call(ready);
  }

  void end_with(std::vector<Finding> findings, std::exception_ptr thrown) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_over_, true)) return;
    findings_ = std::move(findings);
    thrown_ = std::move(thrown);
  }

  const std::vector<graph::Task>& tasks_;
  graph::Memories& memories_;
  const graph::Kit& kit_;
  const TaskRunOptions& options_;
  std::mutex mutex_;  // of what follows, up to thrown_
  SplitMix random_;
  std::vector<std::size_t> ready_;    // a heap
  std::vector<std::size_t> missing_;  // by task: how many before it are not done
  bool is_over_ = false, is_stopped_ = false;
  std::vector<Finding> findings_;
  std::exception_ptr thrown_;
  tbb::global_control most_;  // also more than the processor has
  tbb::task_arena arena_;
  tbb::task_group group_;
  std::vector<std::unique_ptr<graph::Worker>> workers_;  // by thread of the arena
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

TaskRunEnd run_tasks(const std::vector<graph::Task>& tasks, graph::Memories& memories,
                     const graph::Kit& kit, const TaskRunOptions& options) {
  return TaskRun(tasks, memories, kit, options).run();
}

}  // namespace tessera
