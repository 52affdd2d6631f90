// Loop workers of the machine.
#include "interp/machine/loop_workers.h"
#include "interp/machine/machine.h"

namespace tessera {

void Machine::split_points(SharedCells cells) {
  points_ = std::make_unique<LoopWorkers>(*this, std::move(cells));
  for (const CoreIndex s : topology_.core_ids()) core_state(s).core.deal_points();
}

CoreIndex Machine::owner_of_worker(CoreIndex core_index, BufferId buffer) const {
  return topology_.is_loop_worker(core_index) ? points_->owner(core_index, buffer) : core_index;
}

CoreIndex Machine::lifetime_of_point(CoreIndex core_index, SemaphoreId semaphore) const {
  return topology_.is_loop_worker(core_index) ? points_->lifetime(core_index, semaphore)
                                              : core_index;
}

SemId Machine::counted_by_point(SemId sem) const {
  if (topology_.is_loop_worker(sem.core)) sem.core = points_->count_at(sem);
  return sem;
}

// The core has reached a loop with iterations for loop workers. If it has no iterations, the core
// continues.
void Machine::begin_points(Core& core) {
  if (!core.has_point()) return go_on(core);
  points_->fork(core);
  for (std::int32_t p = 0; p < topology_.loop_workers; ++p)
    ready_.add_core(handle(topology_.loop_worker(core.index(), p)), is_slow(core.id().device));
}

void Machine::take_point(Core& loop_worker) {
  points_->take(loop_worker);
  const Core& core = points_->base(loop_worker);
  if (core.has_point()) return;
  for (std::int32_t p = 0; p < topology_.loop_workers; ++p) {
    const CoreIndex other = topology_.loop_worker(core.index(), p);
    if (core_state(other).core.is_free() && ready_.contains(handle(other)))
      ready_.remove(handle(other));
  }
}

// A loop worker that has finished an iteration is queued after the others.
void Machine::end_point(Core& loop_worker) {
  points_->end_point(loop_worker);
  if (stopped_) return;
  Core& core = points_->base(loop_worker);
  if (core.has_point())
    ready_.add_core(handle(loop_worker.index()), is_slow(loop_worker.id().device));
  else if (points_->is_done(core)) {
    points_->join(core);
    go_on(core);
  }
}

std::vector<CoreIndex> Machine::at_work() const {
  std::vector<CoreIndex> result;
  for (const CoreIndex s : topology_.ids())
    if (!core_states_[s]->core.is_free()) result.push_back(s);
  return result;
}

// Continues after the loop, and after following loops without iterations.
void Machine::go_on(Core& core) {
  Core::Pause pause;
  do {
    core.end_fork();
    pause = core.run(0, false);
  } while (pause == Core::Pause::forked && !core.has_point());
  settle(core, pause);
}

}  // namespace tessera
