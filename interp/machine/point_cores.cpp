#include "interp/machine/point_cores.h"

#include <fmt/format.h>

#include "interp/findings/describe.h"
#include "interp/machine/loop_indices.h"

namespace tessera {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

PointCores::PointCores(Machine& machine, SharedCells cells)
    : machine_(machine),
      program_(machine.program()),
      cells_(std::move(cells)),
      sharing_(program_),
      forks_(at(machine.cores())) {}

const PointCores::Scope& PointCores::scope(StmtId loop) {
  const auto [known, is_new] = scopes_.try_emplace(loop);
  Scope& scope = known->second;
  if (!is_new) return scope;
  LoopObjects named(program_, loop);
  for (const BufferId b : program_.buffers.ids()) {
    scope.made.add(named.makes_buffer[b] && !sharing_.landed_in[b]);
    scope.copied.add(named.buffers[b] && !named.makes_buffer[b] && !sharing_.buffers[b]);
  }
  for (const SemaphoreId s : program_.semaphores.ids())
    scope.semaphores.add(named.semaphores[s] && !sharing_.semaphores[s] &&
                         !(named.makes_semaphore[s] && sharing_.counted_on[s]));
  scope.made_semaphores = std::move(named.makes_semaphore);
  return scope;
}

SiteId PointCores::home(SiteId site, BufferId buffer) const {
  const Scope& own = *fork_of(site).scope;
  return own.copied[buffer] || own.made[buffer] ? site : machine_.topology().base(site);
}

SiteId PointCores::life(SiteId site, SemaphoreId semaphore) const {
  return fork_of(site).scope->semaphores[semaphore] ? site : machine_.topology().base(site);
}

SiteId PointCores::count_at(const SemId& sem) const {
  const SiteId core = machine_.topology().base(sem.site);
  const Scope& own = *fork_of(sem.site).scope;
  if (!own.semaphores[sem.semaphore]) return core;
  const bool is_shared = !own.made_semaphores[sem.semaphore] &&
                         cells_.contains(fork_of(sem.site).loop, core, sem.semaphore, sem.cell);
  return is_shared ? core : sem.site;
}

Core& PointCores::base(const Core& core) {
  return machine_.core_state(machine_.topology().base(core.site())).core;
}

void PointCores::fork(Core& core) {
  const CoreState& from = machine_.core_state(core.site());
  Fork& fork = fork_of(core.site());
  fork.loop = core.dealt_loop();
  fork.scope = &scope(fork.loop);
  for (std::int32_t p = 0; p < machine_.topology().point_cores; ++p) {
    CoreState& to = machine_.core_state(machine_.topology().point_core(core.site(), p));
    to.storages = from.storages;
    for (const BufferId b : to.storages.ids())
      if (fork.scope->copied[b] || fork.scope->made[b])
        to.storages[b] = std::make_shared<Storage>(forked, *from.storages[b]);
    to.lives = from.lives;
    to.semaphores.fork(from.semaphores);
    to.usage.begin(from.usage);
    to.core.begin_fork();
  }
}

void PointCores::take(Core& point_core) {
  point_core.take_point_of(base(point_core));
  ++fork_of(point_core.site()).points;
}

std::string PointCores::point_text(const Core& point_core, StmtId loop) const {
  const Stmt& s = program_.body[loop];
  const std::string& name = program_.value(s.result).name;
  return fmt::format("point {}={} of {}", name.empty() ? "loop" : name, point_core.scalar(s.result),
                     to_string(point_core.id()));
}

// What is a point's own has been waited for where it ends.
void PointCores::end_point(Core& point_core) {
  Fork& fork = fork_of(point_core.site());
  --fork.points;
  const SiteId site = point_core.site();
  Semaphores& own = machine_.core_state(site).semaphores;
  for (const SemaphoreId semaphore : program_.semaphores.ids()) {
    if (machine_.stopped()) return;
    if (!fork.scope->semaphores[semaphore] || !own.is_live(semaphore)) continue;
    for (std::int64_t cell = own.used(semaphore, 0); cell >= 0;
         cell = own.used(semaphore, cell + 1)) {
      const SemId sem{site, semaphore, cell};
      if (count_at(sem) != site) continue;
      const SemCell& counted = machine_.cell(sem);
      if (counted.first_pending >= 0) {
        const Copy& copy = machine_.copies().at(Copies::slot_of(counted.first_pending));
        return machine_.stop(
            FindingKind::lifetime,
            fmt::format("{} ends while a copy will still signal {}",
                        point_text(point_core, fork.loop), cell_text(program_, semaphore, cell)),
            point_core.id(), fork.loop,
            {{.loc = program_.loc(copy.statement),
              .message = fmt::format("{} was started here", to_string(copy.id)),
              .device = copy.id.device,
              .agent = to_string(copy.id),
              .loops = loop_indices(program_, copy.statement, copy.loops)}});
      }
      if (counted.count != 0 && !program_.semaphores[semaphore].monotone)
        machine_.report_leak(sem, fork.loop,
                             fmt::format("where {} ends", point_text(point_core, fork.loop)));
    }
  }
}

bool PointCores::is_done(const Core& core) const {
  return !core.has_point() && fork_of(core.site()).points == 0;
}

void PointCores::join(Core& core) {
  CoreState& to = machine_.core_state(core.site());
  const Fork& fork = fork_of(core.site());
  const bool may_be_reached = machine_.copies().in_flight() > 0;
  if (!may_be_reached) left_.clear();
  const PlaceId place = program_.place_of(fork.loop);
  for (std::int32_t p = 0; p < machine_.topology().point_cores; ++p) {
    CoreState& from = machine_.core_state(machine_.topology().point_core(core.site(), p));
    for (const BufferId b : from.storages.ids()) {
      if (fork.scope->copied[b] && to.storages[b]->is_live()) {
        to.storages[b]->lose(*from.storages[b], place);
        core.forget_cells(b);
      }
      if (from.storages[b] == to.storages[b]) continue;
      if (may_be_reached) left_.push_back(from.storages[b]);
      from.storages[b] = to.storages[b];
    }
  }
}

void PointCores::drop_aliases() {
  for (const auto& storage : left_) storage->drop_aliases();
}

}  // namespace tessera
