#include "interp/machine/loop_workers.h"

#include <fmt/format.h>

#include "interp/findings/describe.h"
#include "interp/machine/loop_indices.h"

namespace tessera {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

LoopWorkers::LoopWorkers(Machine& machine, SharedCells cells)
    : machine_(machine),
      program_(machine.program()),
      cells_(std::move(cells)),
      sharing_(program_),
      forks_(at(machine.cores())) {}

const LoopWorkers::Scope& LoopWorkers::scope(StmtId loop) {
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

CoreIndex LoopWorkers::owner(CoreIndex core_index, BufferId buffer) const {
  const Scope& own = *fork_of(core_index).scope;
  return own.copied[buffer] || own.made[buffer] ? core_index : machine_.topology().base(core_index);
}

CoreIndex LoopWorkers::lifetime(CoreIndex core_index, SemaphoreId semaphore) const {
  return fork_of(core_index).scope->semaphores[semaphore] ? core_index
                                                          : machine_.topology().base(core_index);
}

CoreIndex LoopWorkers::count_at(const SemId& sem) const {
  const CoreIndex core = machine_.topology().base(sem.core);
  const Scope& own = *fork_of(sem.core).scope;
  if (!own.semaphores[sem.semaphore]) return core;
  const bool is_shared = !own.made_semaphores[sem.semaphore] &&
                         cells_.contains(fork_of(sem.core).loop, core, sem.semaphore, sem.cell);
  return is_shared ? core : sem.core;
}

Core& LoopWorkers::base(const Core& core) {
  return machine_.core_state(machine_.topology().base(core.index())).core;
}

void LoopWorkers::fork(Core& core) {
  const CoreState& from = machine_.core_state(core.index());
  Fork& fork = fork_of(core.index());
  fork.loop = core.dealt_loop();
  fork.scope = &scope(fork.loop);
  for (std::int32_t p = 0; p < machine_.topology().loop_workers; ++p) {
    CoreState& to = machine_.core_state(machine_.topology().loop_worker(core.index(), p));
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

void LoopWorkers::take(Core& loop_worker) {
  loop_worker.take_point_of(base(loop_worker));
  ++fork_of(loop_worker.index()).points;
}

std::string LoopWorkers::point_text(const Core& loop_worker, StmtId loop) const {
  const Stmt& s = program_.body[loop];
  const std::string& name = program_.value(s.result).name;
  return fmt::format("point {}={} of {}", name.empty() ? "loop" : name,
                     loop_worker.scalar(s.result), to_string(loop_worker.id()));
}

// Reports objects of the iteration that copies will still signal or that have a leftover count.
void LoopWorkers::end_point(Core& loop_worker) {
  Fork& fork = fork_of(loop_worker.index());
  --fork.points;
  const CoreIndex core_index = loop_worker.index();
  Semaphores& own = machine_.core_state(core_index).semaphores;
  for (const SemaphoreId semaphore : program_.semaphores.ids()) {
    if (machine_.stopped()) return;
    if (!fork.scope->semaphores[semaphore] || !own.is_live(semaphore)) continue;
    for (std::int64_t cell = own.used(semaphore, 0); cell >= 0;
         cell = own.used(semaphore, cell + 1)) {
      const SemId sem{core_index, semaphore, cell};
      if (count_at(sem) != core_index) continue;
      const SemCell& counted = machine_.cell(sem);
      if (counted.first_pending >= 0) {
        const Copy& copy = machine_.copies().at(Copies::slot_of(counted.first_pending));
        return machine_.stop(
            FindingKind::lifetime,
            fmt::format("{} ends while a copy will still signal {}",
                        point_text(loop_worker, fork.loop), cell_text(program_, semaphore, cell)),
            loop_worker.id(), fork.loop,
            {{.loc = program_.loc(copy.statement),
              .message = fmt::format("{} was started here", to_string(copy.id)),
              .device = copy.id.device,
              .agent = to_string(copy.id),
              .loops = loop_indices(program_, copy.statement, copy.loops)}});
      }
      if (counted.count != 0 && !program_.semaphores[semaphore].monotone)
        machine_.report_leak(sem, fork.loop,
                             fmt::format("where {} ends", point_text(loop_worker, fork.loop)));
    }
  }
}

bool LoopWorkers::is_done(const Core& core) const {
  return !core.has_point() && fork_of(core.index()).points == 0;
}

void LoopWorkers::join(Core& core) {
  CoreState& to = machine_.core_state(core.index());
  const Fork& fork = fork_of(core.index());
  const bool may_be_reached = machine_.copies().in_flight() > 0;
  if (!may_be_reached) left_.clear();
  const PlaceId place = program_.place_of(fork.loop);
  for (std::int32_t p = 0; p < machine_.topology().loop_workers; ++p) {
    CoreState& from = machine_.core_state(machine_.topology().loop_worker(core.index(), p));
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

void LoopWorkers::drop_aliases() {
  for (const auto& storage : left_) storage->drop_aliases();
}

}  // namespace tessera
