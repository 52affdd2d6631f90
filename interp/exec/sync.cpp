// Semaphores. Signals may go to any core of any device; a core waits on its own only.
#include <fmt/format.h>

#include "interp/findings/describe.h"
#include "interp/machine/machine.h"

namespace tessera {
namespace {

void emit(Core& core, EventKind kind, const SemId& sem, std::int64_t amount) {
  core.emit({.kind = kind,
             .object_kind = ObjectKind::semaphore,
             .core = sem.core,
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

Step exec(const Signal& op, Core& core) {
  const CoreIndex there = core.target(op.sem, op.device, op.core, "signal");
  if (core.stopped()) return Step::stop;
  const SemId sem = core.locate_sem(op.sem, there, "signal");
  const std::int64_t count = core.scalar(op.count);
  if (core.stopped() || is_negative(core, "signal", sem, count)) return Step::stop;
  core.signal(sem, count);
  return Step::next;
}

Step exec(const Wait& op, Core& core) {
  const SemId sem = core.locate_sem(op.sem, core.index(), "wait");
  const std::int64_t count = core.scalar(op.count);
  if (core.stopped() || is_negative(core, "wait", sem, count)) return Step::stop;
  if (!core.reaches(sem, count)) return Step::block;
  core.machine().cell(sem).count -= count;
  core.machine().count_wait(sem, count, core);
  emit(core, EventKind::wait, sem, count);
  return Step::next;
}

Step exec(const Await& op, Core& core) {
  const SemId sem = core.locate_sem(op.sem, core.index(), "await");
  const std::int64_t count = core.scalar(op.count);
  if (core.stopped() || is_negative(core, "await", sem, count)) return Step::stop;
  if (!core.reaches(sem, count)) return Step::block;
  emit(core, EventKind::await, sem, count);
  return Step::next;
}

Step exec(const ReadSem& op, Core& core) {
  const SemId sem = core.locate_sem(op.sem, core.index(), "read");
  if (core.stopped()) return Step::stop;
  core.result(core.machine().cell(sem).count);
  emit(core, EventKind::read_sem, sem, 0);
  return Step::next;
}

}  // namespace tessera
