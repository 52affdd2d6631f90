// Scoped buffers and semaphores begin and end; what exists at once must fit the machine.
#include <fmt/format.h>

#include <algorithm>

#include "interp/describe.h"
#include "interp/machine.h"

namespace tessera {
namespace {

std::int64_t& used_by(Usage& usage, Space space) {
  return space == Space::smem ? usage.smem : usage.vmem;
}

bool is_counted(const Buffer& buffer) { return buffer.space != Space::hbm; }

}  // namespace

void Machine::take_space(Usage& usage, const Buffer& buffer, std::int64_t bytes) {
  if (is_counted(buffer)) used_by(usage, buffer.space) += bytes;
  usage.peak_vmem = std::max(usage.peak_vmem, usage.vmem);
  usage.peak_smem = std::max(usage.peak_smem, usage.smem);
}

void Machine::take_semaphores(Usage& usage, std::int64_t cells) {
  usage.semaphores += cells;
  usage.peak_semaphores = std::max(usage.peak_semaphores, usage.semaphores);
}

void Machine::allocate(Core& core, std::int32_t buffer) {
  Site& owner = site(core.site());
  Storage& storage = *owner.storages[static_cast<std::size_t>(buffer)];
  if (storage.is_live())
    return core.fail(FindingKind::lifetime,
                     fmt::format("alloc of {}, which exists already", storage.buffer().name));
  storage.allocate(core.stmt().place);
  core.forget_cells(buffer);
  ++owner.lives[static_cast<std::size_t>(buffer)];
  take_space(owner.usage, storage.buffer(), storage.bytes());
  const Box whole = storage.whole();
  core.emit({.kind = EventKind::alloc,
             .object_kind = ObjectKind::buffer,
             .site = core.site(),
             .object = buffer,
             .box = &whole});
  check_capacity(core, core.statement());
}

void Machine::release(Core& core, std::int32_t buffer) {
  Site& owner = site(core.site());
  Storage& storage = *owner.storages[static_cast<std::size_t>(buffer)];
  if (!storage.is_live())
    return core.fail(FindingKind::lifetime,
                     fmt::format("free of {}, which does not exist", storage.buffer().name));
  const Box whole = storage.whole();
  core.emit({.kind = EventKind::release,
             .object_kind = ObjectKind::buffer,
             .site = core.site(),
             .object = buffer,
             .box = &whole});
  take_space(owner.usage, storage.buffer(), -storage.bytes());
  storage.release();
  core.forget_cells(buffer);
}

void Machine::allocate_semaphore(Core& core, std::int32_t semaphore) {
  Site& owner = site(core.site());
  const Semaphore& declared = program_.semaphores[static_cast<std::size_t>(semaphore)];
  if (owner.semaphores.is_live(semaphore))
    return core.fail(FindingKind::lifetime,
                     fmt::format("alloc of {}, which exists already", declared.name));
  owner.semaphores.allocate(semaphore);
  const bool is_shared = options_.profile.shares_scoped_semaphores;
  if (is_shared) take_semaphores(owner.usage, elements(declared.shape));
  core.emit({.kind = EventKind::alloc,
             .object_kind = ObjectKind::semaphore,
             .site = core.site(),
             .object = semaphore});
  check_capacity(core, core.statement());
}

void Machine::release_semaphore(Core& core, std::int32_t semaphore) {
  Site& owner = site(core.site());
  const Semaphore& declared = program_.semaphores[static_cast<std::size_t>(semaphore)];
  if (!owner.semaphores.is_live(semaphore))
    return core.fail(FindingKind::lifetime,
                     fmt::format("free of {}, which does not exist", declared.name));
  const std::int64_t cells = elements(declared.shape);
  for (std::int64_t i = 0; i < cells; ++i) {
    const SemId sem{core.site(), semaphore, i};
    const std::int32_t pending = cell(sem).first_pending;
    if (pending >= 0) {
      const Copy& copy = copies_.at(Copies::slot_of(pending));
      return core.fail(
          FindingKind::lifetime,
          fmt::format("free of {} while a copy will still signal it",
                      cell_text(program_, semaphore, i)),
          {{.loc = program_.loc(program_.body[static_cast<std::size_t>(copy.statement)].place),
            .message = fmt::format("{} was started here", to_string(copy.id)),
            .device = copy.id.device,
            .agent = to_string(copy.id)}});
    }
    if (cell(sem).count == 0 || declared.monotone || !options_.checked) continue;
    if (!cell(sem).is_reported) findings_.push_back(leak_finding(*this, sem, core.statement()));
    cell(sem).is_reported = true;
  }
  if (options_.profile.shares_scoped_semaphores) take_semaphores(owner.usage, -cells);
  core.emit({.kind = EventKind::release,
             .object_kind = ObjectKind::semaphore,
             .site = core.site(),
             .object = semaphore});
  owner.semaphores.release(semaphore);
}

}  // namespace tessera
