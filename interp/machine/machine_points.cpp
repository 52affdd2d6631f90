// What the machine does for points of parallel loops that run side by side.
#include "interp/machine/machine.h"
#include "interp/machine/point_cores.h"

namespace tessera {

void Machine::split_points(SharedCells cells) {
  points_ = std::make_unique<PointCores>(*this, std::move(cells));
  for (const SiteId s : topology_.core_ids()) core_state(s).core.deal_points();
}

SiteId Machine::home_of_point(SiteId site, BufferId buffer) const {
  return topology_.is_point_core(site) ? points_->home(site, buffer) : site;
}

SiteId Machine::life_of_point(SiteId site, SemaphoreId semaphore) const {
  return topology_.is_point_core(site) ? points_->life(site, semaphore) : site;
}

SemId Machine::counted_by_point(SemId sem) const {
  if (topology_.is_point_core(sem.site)) sem.site = points_->count_at(sem);
  return sem;
}

// The core has come to a loop whose points are dealt; where there are none it goes on.
void Machine::begin_points(Core& core) {
  if (!core.has_point()) return go_on(core);
  points_->fork(core);
  for (std::int32_t p = 0; p < topology_.point_cores; ++p)
    ready_.add_core(handle(topology_.point_core(core.site(), p)), is_slow(core.id().device));
}

void Machine::take_point(Core& point_core) {
  points_->take(point_core);
  const Core& core = points_->base(point_core);
  if (core.has_point()) return;
  for (std::int32_t p = 0; p < topology_.point_cores; ++p) {
    const SiteId other = topology_.point_core(core.site(), p);
    if (core_state(other).core.is_free() && ready_.contains(handle(other)))
      ready_.remove(handle(other));
  }
}

// Whoever has done a point goes behind the others.
void Machine::end_point(Core& point_core) {
  points_->end_point(point_core);
  if (stopped_) return;
  Core& core = points_->base(point_core);
  if (core.has_point())
    ready_.add_core(handle(point_core.site()), is_slow(point_core.id().device));
  else if (points_->is_done(core)) {
    points_->join(core);
    go_on(core);
  }
}

std::vector<SiteId> Machine::at_work() const {
  std::vector<SiteId> result;
  for (const SiteId s : topology_.ids())
    if (!core_states_[s]->core.is_free()) result.push_back(s);
  return result;
}

// Past the loop, and past those behind it that have no point.
void Machine::go_on(Core& core) {
  Core::Pause pause;
  do {
    core.end_fork();
    pause = core.run(0, false);
  } while (pause == Core::Pause::forked && !core.has_point());
  settle(core, pause);
}

}  // namespace tessera
