// Access of a core to semaphores: lookup, signals and waits.
#include <fmt/format.h>

#include "interp/findings/describe.h"
#include "interp/machine/machine.h"

namespace tessera {

SemId Core::locate_sem(const Slice& slice, CoreIndex core, std::string_view verb) {
  const Program& program = machine_.program();
  const SemaphoreId id = program.value(slice.base).semaphore;
  const Semaphore& semaphore = program.semaphores[id];
  std::int64_t cell = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
    const std::int64_t at = scalar(slice.start[d]);
    if (at < 0 || at >= semaphore.shape[d]) {
      fail(FindingKind::out_of_bounds,
           fmt::format("{} of {} with index {} in dimension {}, expected 0 to {}", verb,
                       semaphore.name, at, d, semaphore.shape[d] - 1));
      return {.cell = -1};
    }
    cell = cell * semaphore.shape[d] + at;
  }
  // For a copy, this is checked when it signals.
  const Semaphores& owner = machine_.core_state(machine_.lifetime_core(core, id)).semaphores;
  if (core == index_ && !owner.is_live(id)) {
    fail(FindingKind::lifetime,
         fmt::format("{} of {}, which {}", verb, cell_text(program, id, cell),
                     owner.was_live(id) ? "no longer exists" : "does not exist yet"));
    return {.cell = -1};
  }
  return machine_.counted({core, id, cell});
}

bool Core::reaches(const SemId& sem, std::int64_t count) {
  if (machine_.cell(sem).count >= count) return true;
  need_ = {sem, count};
  blocked_ = true;
  return false;
}

// A core that pauses before a wait that cannot pass is not enabled. A wait with a fault is enabled,
// and reports it.
bool Core::would_block() {
  const auto check = [&](const Slice& slice, ValueId count) {
    const Program& program = machine_.program();
    const SemaphoreId id = program.value(slice.base).semaphore;
    const Shape& shape = program.semaphores[id].shape;
    std::int64_t cell = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
      const std::int64_t at = scalar(slice.start[d]);
      if (at < 0 || at >= shape[d]) return false;
      cell = cell * shape[d] + at;
    }
    if (!machine_.core_state(machine_.lifetime_core(index_, id)).semaphores.is_live(id))
      return false;
    return !reaches(machine_.counted({index_, id, cell}), scalar(count));
  };
  if (const auto* wait = std::get_if<Wait>(&stmt_->op)) return check(wait->sem, wait->count);
  if (const auto* await = std::get_if<Await>(&stmt_->op)) return check(await->sem, await->count);
  return false;
}

void Core::signal(const SemId& sem, std::int64_t count) {
  if (!to_tell_.empty()) tell_loads();
  machine_.signal(sem, count, id_, statement(), steps_, events_);
}

}  // namespace tessera
