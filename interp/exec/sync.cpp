// Semaphores. Signals may go to any core of any device; a core waits on its own only.
#include <fmt/format.h>

#include "interp/findings/describe.h"
#include "interp/machine/machine.h"

namespace tessera {
namespace {

void tell(Core& core, EventKind kind, const SemId& sem, std::int64_t amount) {
  core.emit({.kind = kind,
             .object_kind = ObjectKind::semaphore,
             .site = sem.site,
             .object = sem.semaphore,
             .cell = sem.cell,
             .amount = amount});
}

bool is_negative(Core& core, std::string_view verb, const SemId& sem, std::int64_t count) {
  if (count >= 0) return false;
  core.fail(FindingKind::out_of_bounds,
            fmt::format("{} {} by {}, expected at least 0", verb,
                        cell_text(core.machine().program(), sem.semaphore, sem.cell), count));
  return true;
}

}  // namespace

SemId Core::locate_sem(const Slice& slice, std::int32_t site, std::string_view verb) {
  const Program& program = machine_.program();
  const std::int32_t index = program.value(slice.base).index;
  const Semaphore& semaphore = program.semaphores[static_cast<std::size_t>(index)];
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
  // A copy finds out when it signals.
  const Semaphores& owner = machine_.site(machine_.life_site(site, index)).semaphores;
  if (site == site_ && !owner.is_live(index)) {
    fail(FindingKind::lifetime,
         fmt::format("{} of {}, which {}", verb, cell_text(program, index, cell),
                     owner.was_live(index) ? "no longer exists" : "does not exist yet"));
    return {.cell = -1};
  }
  return machine_.counted({site, index, cell});
}

bool Core::reaches(const SemId& sem, std::int64_t count) {
  if (machine_.cell(sem).count >= count) return true;
  need_ = {sem, count};
  blocked_ = true;
  return false;
}

// A core at rest before a wait that cannot pass is not enabled; a wait with a fault is, and reports
// it.
bool Core::would_block() {
  const auto check = [&](const Slice& slice, ValueId count) {
    const Program& program = machine_.program();
    const std::int32_t index = program.value(slice.base).index;
    const Shape& shape = program.semaphores[static_cast<std::size_t>(index)].shape;
    std::int64_t cell = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
      const std::int64_t at = scalar(slice.start[d]);
      if (at < 0 || at >= shape[d]) return false;
      cell = cell * shape[d] + at;
    }
    if (!machine_.site(machine_.life_site(site_, index)).semaphores.is_live(index)) return false;
    return !reaches(machine_.counted({site_, index, cell}), scalar(count));
  };
  if (const auto* wait = std::get_if<Wait>(&stmt_->op)) return check(wait->sem, wait->count);
  if (const auto* await = std::get_if<Await>(&stmt_->op)) return check(await->sem, await->count);
  return false;
}

Step exec(const Signal& op, Core& core) {
  const std::int32_t there = core.target(op.sem, op.device, op.core, "signal");
  if (core.stopped()) return Step::stop;
  const SemId sem = core.locate_sem(op.sem, there, "signal");
  const std::int64_t count = core.scalar(op.count);
  if (core.stopped() || is_negative(core, "signal", sem, count)) return Step::stop;
  core.signal(sem, count);
  return Step::next;
}

Step exec(const Wait& op, Core& core) {
  const SemId sem = core.locate_sem(op.sem, core.site(), "wait");
  const std::int64_t count = core.scalar(op.count);
  if (core.stopped() || is_negative(core, "wait", sem, count)) return Step::stop;
  if (!core.reaches(sem, count)) return Step::block;
  core.machine().cell(sem).count -= count;
  core.machine().count_wait(sem, count, core);
  tell(core, EventKind::wait, sem, count);
  return Step::next;
}

Step exec(const Await& op, Core& core) {
  const SemId sem = core.locate_sem(op.sem, core.site(), "await");
  const std::int64_t count = core.scalar(op.count);
  if (core.stopped() || is_negative(core, "await", sem, count)) return Step::stop;
  if (!core.reaches(sem, count)) return Step::block;
  tell(core, EventKind::await, sem, count);
  return Step::next;
}

Step exec(const ReadSem& op, Core& core) {
  const SemId sem = core.locate_sem(op.sem, core.site(), "read");
  if (core.stopped()) return Step::stop;
  core.result(core.machine().cell(sem).count);
  tell(core, EventKind::read_sem, sem, 0);
  return Step::next;
}

}  // namespace tessera
