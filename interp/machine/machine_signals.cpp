// Changes of semaphore counts, and wake-ups of blocked cores.
#include <fmt/format.h>

#include <limits>
#include <utility>

#include "interp/findings/describe.h"
#include "interp/machine/loop_indices.h"
#include "interp/machine/machine.h"

namespace tessera {
namespace {

constexpr std::int64_t max_counts = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max();

}  // namespace

// The signal comes from a core or from one side of a copy.
void Machine::signal(const SemId& sem, std::int64_t amount, const AgentId& by, StmtId statement,
                     std::int64_t agent_step, std::int64_t& events) {
  const Semaphores& owner = core_state(sem.core).semaphores;
  const auto text = [&] {
    return fmt::format("{} of {}", cell_text(program_, sem.semaphore, sem.cell),
                       topology_.name(sem.core));
  };
  if (!owner.is_counted(sem.semaphore)) {
    stop(FindingKind::lifetime,
         fmt::format("signal of {}, which {}", text(),
                     owner.was_live(sem.semaphore) ? "no longer exists" : "does not exist yet"),
         by, statement);
    return;
  }
  SemCell& target = cell(sem);
  const bool bytes = program_.semaphores[sem.semaphore].kind == SemKind::bytes;
  const std::int64_t most = bytes ? max_bytes : max_counts;
  if (amount > most - target.count) {
    stop(FindingKind::semaphore_overflow,
         fmt::format("signal of {} by {} leaves its range: it has {}, and at most {} fit", text(),
                     amount, target.count, most),
         by, statement);
    return;
  }
  target.count += amount;
  if (observes_) {
    note_loops(target.tally(statement, topology_.of(by), false, amount), by);
    Event event{.kind = EventKind::signal,
                .object_kind = ObjectKind::semaphore,
                .agent = by,
                .index = events++,
                .agent_step = agent_step,
                .statement = statement,
                .core = sem.core,
                .object = sem.semaphore,
                .cell = sem.cell,
                .amount = amount};
    emit(event);
  }
  if (target.waiter) wake(target);
}

// Unblocks the cores whose count is reached. A cell has one waiting core, or several loop workers
// that share the cell.
void Machine::wake(SemCell& cell) {
  CoreIndex before;
  for (CoreIndex at = cell.waiter; at;) {
    Core& core = core_state(at).core;
    at = core.next_waiter();
    if (cell.count < core.need().count) {
      before = core.index();
      continue;
    }
    if (!before)
      cell.waiter = at;
    else
      core_state(before).core.set_next_waiter(at);
    core.unblock();
    std::erase(blocked_, core.index());
    ready_.add_core(handle(core.index()), is_slow(core.id().device));
  }
}

void Machine::count_wait(const SemId& sem, std::int64_t amount, const Core& by) {
  if (observes_) note_loops(cell(sem).tally(by.statement(), by.index(), true, amount), by.id());
}

void Machine::note_loops(Tally& tally, const AgentId& by) {
  if (moving_ != nullptr)
    tally.loops = moving_->loops;
  else
    read_loops(program_, tally.statement, core_state(topology_.of(by)).core.registers().data(),
               tally.loops);
}

}  // namespace tessera
