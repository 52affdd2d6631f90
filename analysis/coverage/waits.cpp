#include "analysis/coverage/waits.h"

#include <fmt/format.h>

#include "analysis/coverage/source_ops.h"

namespace tessera {

void Waits::begin(const Program& program, const Topology& topology) {
  program_ = &program;
  topology_ = topology;
  open_.assign(program.body.size(), {});
  open_of_.assign(program.semaphores.size(), 0);
  signalled_in_loop_.assign(program.semaphores.size(), StmtId());
  cells_.clear();
  is_in_loop_.assign(program.body.size(), 0);
  last_step_.assign(static_cast<std::size_t>(topology.all()), -1);
  for (const StmtId s : program.body.ids()) {
    is_in_loop_[s] = is_in_loop(program, s) ? 1 : 0;
    if (const auto* wait = std::get_if<Wait>(&program.body[s].op)) {
      const SemaphoreId semaphore = program.value(wait->sem.base).semaphore;
      if (program.semaphores[semaphore].kind != SemKind::count) continue;
      open_[s].is_wait = true;
      ++open_of_[semaphore];
    }
    const auto* signal = std::get_if<Signal>(&program.body[s].op);
    if (signal != nullptr && is_in_loop_[s] != 0)
      signalled_in_loop_[program.value(signal->sem.base).semaphore] = s;
  }
}

Waits::Cell& Waits::cell(const Event& event) {
  return cells_[{event.object.semaphore(), event.core.index, event.cell}];
}

void Waits::note(const Event& event) {
  if (event.kind == EventKind::signal) {
    Cell& at = cell(event);
    at.count += event.amount;
    at.last_signal = event.step;
    at.last_signaller = topology_.of(event.agent);
    if (is_in_loop_[event.statement] != 0)
      at.later = event.statement;
    else
      at.outside += event.amount;
    return;
  }
  if (event.kind != EventKind::wait) return;
  Cell& at = cell(event);
  Open& open = open_[event.statement];
  const CoreIndex self = topology_.of(event.agent);
  open.is_executed = true;
  open.is_of_other = open.is_of_other || at.last_signaller != self;
  // The last signal was needed if there is no surplus; it came after the core had arrived here.
  if (at.count > event.amount || at.last_signal > last_step_[self]) open.blocked_or_surplus = true;
  at.count -= event.amount;
  at.taken += event.amount;
  if (at.taken > at.outside) open.from_loop = true;
  // The cell of a signal that is not executed is known only for a single semaphore.
  const SemaphoreId semaphore = event.object.semaphore();
  StmtId later = at.later;
  if (!later && program_->semaphores[semaphore].shape.empty())
    later = signalled_in_loop_[semaphore];
  if (later && is_in_loop_[event.statement] != 0) open.later = later;
  if (open.is_done || !open.blocked_or_surplus || (open.later && !open.from_loop)) return;
  open.is_done = true;
  --open_of_[semaphore];
}

void Waits::add_notes(const Program& program, CoverageNotes& notes) const {
  for (const StmtId s : program.body.ids()) {
    const Open& open = open_[s];
    if (!open.is_wait || !open.is_executed || !own_loc(program, s)) continue;
    const SemaphoreId semaphore =
        program.value(std::get<Wait>(program.body[s].op).sem.base).semaphore;
    const std::string name = source_name(program.semaphores[semaphore].name);
    CoverageNote note{
        .kind = Uncovered::credit, .loc = own_loc(program, s), .object = library_place(program, s)};
    if (open.later && open.from_loop) notes.seen.push_back(note);
    if (open.later && !open.from_loop) {
      note.message = fmt::format(
          "this wait takes only signals of `{}` from before the loop, none from line {}", name,
          program.loc(open.later).line);
      notes.missing.push_back(note);
      continue;
    }
    note.kind = Uncovered::wait;
    if (open.blocked_or_surplus) {
      notes.seen.push_back(note);
    } else if (open.is_of_other) {
      note.message =
          fmt::format("this wait did not block, and `{}` never held more than it took", name);
      notes.missing.push_back(note);
    }
  }
}

}  // namespace tessera
