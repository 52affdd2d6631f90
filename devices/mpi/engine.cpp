#include "devices/mpi/engine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/report/diag.h"

namespace tessera::mpi {
namespace {

// Pause of a process that computes between two polls of MPI: this multiple of a poll's duration,
// within the limits below.
constexpr int share_of_polls = 25;
constexpr std::chrono::microseconds shortest_pause{20};
// Only if each process has its own core: a long poll then moves data, and the next one continues.
constexpr std::chrono::microseconds longest_pause{100};

}  // namespace

Engine::Engine(World& world, graph::GraphMemory& memories, graph::Worker& worker, Tasks tasks,
               const Trial& trial)
    : world_(world),
      memories_(memories),
      worker_(worker),
      tasks_(std::move(tasks)),
      trial_(trial),
      office_(world, memories, tasks_, trial.limits),
      left_(tasks_.tasks.size()),
      random_(trial.seed.value_or(0)),
      longest_pause_(world.is_crowded() ? Clock::duration::max() : longest_pause) {
  worker_.between([this] { exchange_if_due(); });
}

void Engine::run() {
  if (trial_.before) trial_.before();
  for (const TaskId task : tasks_.tasks.ids())
    if (tasks_.tasks[task].missing == 0) bring(task);
  Patience patience = world_.patience();
  while (left_ > 0) {
    if (is_stopped(current_stop())) world_.abort("it was interrupted");
    const bool has_moved = exchange();
    const TaskId task = next();
    if (task) {
      delay();
      work(task);
    }
    if (task || has_moved)
      patience.reset();
    else
      patience.wait();
  }
}

void Engine::bring(TaskId task) {
  if (tasks_.tasks[task].kind == TaskKind::run)
    ready_.insert(task);
  else if (trial_.seed)
    drawn_.push_back(task);
  else
    office_.bring(task);
}

void Engine::finish(TaskId id) {
  const Task& task = tasks_.tasks[id];
  const graph::Node& node = memories_.graph().nodes[task.node];
  if (task.kind != TaskKind::receive) memories_.release(node.first_side);
  if (task.kind == TaskKind::receive || (task.kind == TaskKind::run && node.side_count == 2))
    memories_.release(node.first_side + 1);
  --left_;
  for (const TaskId next : task.after)
    if (--tasks_.tasks[next].missing == 0) bring(next);
}

// Lets MPI work. True if a message has completed.
bool Engine::exchange() {
  const Clock::time_point begin = Clock::now();
  bool has_moved = false;
  for (std::vector<TaskId> done = office_.collect(); !done.empty(); done = office_.collect()) {
    has_moved = true;
    for (const TaskId task : done) finish(task);
  }
  const Clock::time_point end = Clock::now();
  cost_ = has_moved ? cost_ : (3 * cost_ + (end - begin)) / 4;
  due_ = end + std::clamp<Clock::duration>(share_of_polls * cost_, shortest_pause, longest_pause_);
  return has_moved;
}

void Engine::exchange_if_due() {
  if (Clock::now() < due_) return;
  if (is_stopped(current_stop())) world_.abort("it was interrupted");
  exchange();
}

void Engine::delay() {
  if (trial_.longest_delay == 0) return;
  std::uniform_int_distribution<std::int64_t> draw(0, trial_.longest_delay);
  ::usleep(static_cast<useconds_t>(draw(random_)));
}

TaskId Engine::next() {
  if (!trial_.seed) {
    if (ready_.empty()) return {};
    const TaskId first = *ready_.begin();
    ready_.erase(ready_.begin());
    return first;
  }
  const std::size_t all = ready_.size() + drawn_.size();
  if (all == 0) return {};
  const std::size_t which = random_() % all;
  if (which < ready_.size()) {
    const auto drawn = std::next(ready_.begin(), static_cast<std::ptrdiff_t>(which));
    const TaskId task = *drawn;
    ready_.erase(drawn);
    return task;
  }
  std::swap(drawn_[which - ready_.size()], drawn_.back());
  const TaskId task = drawn_.back();
  drawn_.pop_back();
  return task;
}

void Engine::work(TaskId id) {
  const Task& task = tasks_.tasks[id];
  if (task.kind != TaskKind::run) return office_.bring(id);
  if (!worker_.run(task.node)) world_.abort(render(Diags{as_error(worker_.findings().front())}));
  finish(id);
}

}  // namespace tessera::mpi
