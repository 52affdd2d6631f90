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
  last_step_.assign(static_cast<std::size_t>(topology.all()), -1);
  for (const StmtId s : program.body.ids()) {
    if (const auto* wait = std::get_if<Wait>(&program.body[s].op)) {
      const SemaphoreId semaphore = program.value(wait->sem.base).semaphore;
      if (program.semaphores[semaphore].kind != SemKind::count) continue;
      open_[s].is_wait = true;
      ++open_of_[semaphore];
    }
    const auto* signal = std::get_if<Signal>(&program.body[s].op);
    if (signal != nullptr && program.body[s].loop)
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
    if (!program_->body[event.statement].loop) at.outside += event.amount;
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
  const bool has_credits =
      signalled_in_loop_[event.object.semaphore()] && program_->body[event.statement].loop;
  if (open.is_done || !open.blocked_or_surplus || (has_credits && !open.from_loop)) return;
  open.is_done = true;
  --open_of_[event.object.semaphore()];
}

void Waits::add_notes(const Program& program, CoverageNotes& notes) const {
  for (const StmtId s : program.body.ids()) {
    const Open& open = open_[s];
    if (!open.is_wait || !open.is_executed || !open.is_of_other || !own_loc(program, s)) continue;
    const SemaphoreId semaphore =
        program.value(std::get<Wait>(program.body[s].op).sem.base).semaphore;
    const std::string& name = program.semaphores[semaphore].name;
    const StmtId later = signalled_in_loop_[semaphore];
    const bool has_credits = later && program.body[s].loop;
    if (has_credits && open.from_loop)
      notes.seen.push_back({Uncovered::credit, own_loc(program, s)});
    if (open.blocked_or_surplus) notes.seen.push_back({Uncovered::wait, own_loc(program, s)});
    if (has_credits && !open.from_loop) {
      notes.missing.push_back(
          {Uncovered::credit, own_loc(program, s),
           fmt::format(
               "this wait takes only signals of `{}` from before the loop, none from line {}", name,
               own_loc(program, later).line)});
    } else if (!open.blocked_or_surplus) {
      notes.missing.push_back(
          {Uncovered::wait, own_loc(program, s),
           fmt::format("this wait did not block, and `{}` never held more than it took", name)});
    }
  }
}

}  // namespace tessera
