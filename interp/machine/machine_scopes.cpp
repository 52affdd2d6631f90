// Allocation and release of scoped buffers and semaphores, and the check of capacities.
#include <fmt/format.h>

#include <utility>

#include "interp/findings/capacity.h"
#include "interp/findings/describe.h"
#include "interp/machine/machine.h"

namespace tessera {

void Machine::check_capacity(Core& core, StmtId statement) {
  const CoreState& owner = core_state(core.index());
  auto excess = excess_of(
      program_, options_.machine.profile, owner.usage,
      [&](BufferId b) { return owner.storages[b]->is_live(); },
      [&](SemaphoreId s) {
        return owner.semaphores.is_counted(s) && owner.semaphores.is_first(s);
      });
  if (excess)
    stop(FindingKind::capacity, std::move(excess->message), core.id(), statement,
         std::move(excess->notes));
}

void Machine::allocate(Core& core, BufferId buffer) {
  const CoreIndex here = owner(core.index(), buffer);
  CoreState& owner = core_state(here);
  Storage& storage = *owner.storages[buffer];
  if (storage.is_live())
    return core.fail(FindingKind::lifetime,
                     fmt::format("alloc of {}, which exists already", storage.buffer().name));
  storage.allocate(core.stmt().place);
  core.forget_cells(buffer);
  ++owner.lives[buffer];
  owner.usage.take(storage.buffer().space, storage.bytes());
  const Box whole = storage.whole();
  core.emit({.kind = EventKind::alloc,
             .object_kind = ObjectKind::buffer,
             .core = here,
             .object = buffer,
             .box = &whole});
  check_capacity(core, core.statement());
}

void Machine::release(Core& core, BufferId buffer) {
  const CoreIndex here = owner(core.index(), buffer);
  CoreState& state = core_state(here);
  Storage& storage = *state.storages[buffer];
  if (!storage.is_live())
    return core.fail(FindingKind::lifetime,
                     fmt::format("free of {}, which does not exist", storage.buffer().name));
  const Box whole = storage.whole();
  core.emit({.kind = EventKind::release,
             .object_kind = ObjectKind::buffer,
             .core = here,
             .object = buffer,
             .box = &whole});
  state.usage.take(storage.buffer().space, -storage.bytes());
  storage.release();
  core.forget_cells(buffer);
  for (const BufferId once : once_until_[buffer])
    core_state(owner(core.index(), once)).storages[once]->end_once(core.id().core, buffer);
}

// The last buffer allocated before a `once`, which the pipeline owns. Its release ends the `once`.
BufferId Machine::scope_of_once(StmtId once) const {
  for (StmtId i = once - 1; i; --i) {
    const auto* alloc = std::get_if<Alloc>(&program_.body[i].op);
    const BufferId buffer = alloc != nullptr ? program_.value(alloc->ref.base).buffer : BufferId();
    if (buffer) return buffer;
  }
  return {};
}

void Machine::allocate_semaphore(Core& core, SemaphoreId semaphore) {
  const CoreIndex here = lifetime_core(core.index(), semaphore);
  CoreState& owner = core_state(here);
  const Semaphore& declared = program_.semaphores[semaphore];
  if (owner.semaphores.is_live(semaphore))
    return core.fail(FindingKind::lifetime,
                     fmt::format("alloc of {}, which exists already", declared.name));
  owner.semaphores.allocate(semaphore);
  const bool is_shared = options_.machine.profile.shares_scoped_semaphores;
  if (is_shared) owner.usage.take_semaphores(elements(declared.shape));
  core.emit({.kind = EventKind::alloc,
             .object_kind = ObjectKind::semaphore,
             .core = here,
             .object = semaphore});
  check_capacity(core, core.statement());
}

// Each launch has its own semaphores, so the next launch does not see the leftover count.
void Machine::drain(Core& core, const SemId& sem) {
  core.emit({.kind = EventKind::wait,
             .object_kind = ObjectKind::semaphore,
             .core = sem.core,
             .object = sem.semaphore,
             .cell = sem.cell,
             .amount = std::exchange(cell(sem).count, 0)});
}

void Machine::release_semaphore(Core& core, SemaphoreId semaphore) {
  const CoreIndex here = lifetime_core(core.index(), semaphore);
  CoreState& owner = core_state(here);
  const Semaphore& declared = program_.semaphores[semaphore];
  if (!owner.semaphores.is_live(semaphore))
    return core.fail(FindingKind::lifetime,
                     fmt::format("free of {}, which does not exist", declared.name));
  for (std::int64_t i = owner.semaphores.used(semaphore, 0); i >= 0;
       i = owner.semaphores.used(semaphore, i + 1)) {
    const SemId sem{here, semaphore, i};
    const std::int32_t pending = cell(sem).first_pending;
    if (pending >= 0) {
      const Copy& copy = copies_.at(Copies::slot_of(pending));
      return core.fail(FindingKind::lifetime,
                       fmt::format("free of {} while a copy will still signal it",
                                   cell_text(program_, semaphore, i)),
                       {{.loc = program_.loc(copy.statement),
                         .message = fmt::format("{} was started here", to_string(copy.id)),
                         .device = copy.id.device,
                         .agent = to_string(copy.id)}});
    }
    if (cell(sem).count == 0 || declared.monotone || !options_.checks.enabled) continue;
    report_leak(sem, core.statement());
    if (program_.call_place && core.stmt().place == program_.call_place) drain(core, sem);
  }
  if (options_.machine.profile.shares_scoped_semaphores)
    owner.usage.take_semaphores(-elements(declared.shape));
  core.emit({.kind = EventKind::release,
             .object_kind = ObjectKind::semaphore,
             .core = here,
             .object = semaphore});
  owner.semaphores.release(semaphore);
}

}  // namespace tessera
