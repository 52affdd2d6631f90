// Explanations of waiting cores and of semaphore counts.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "debugger/commands/why.h"
#include "debugger/session/inspect.h"
#include "interp/findings/describe.h"
#include "interp/findings/signallers.h"
#include "interp/machine/loop_indices.h"

namespace tessera::debugger {
namespace {

constexpr std::size_t max_reported = 8;

std::string sem_text(Machine& machine, const SemId& sem) {
  return machine.topology().name(sem.core) + " " +
         cell_text(machine.program(), sem.semaphore, sem.cell);
}

std::string place_text(const Program& program, StmtId statement, const LoopIndices& loops) {
  std::string text = line_text(program, statement);
  if (!loops.empty()) text += ", " + to_string(loops);
  return text;
}

std::string standing_text(Machine& machine, CoreIndex core_index) {
  const Standing stands = standing(machine, core_index);
  const std::string who = to_string(stands.agent);
  if (stands.status == CoreStatus::finished) return who + " has finished";
  const std::string where = place_text(machine.program(), stands.statement, stands.loops);
  if (stands.status == CoreStatus::ready) return fmt::format("{} can go on, at {}", who, where);
  return fmt::format("{} waits at {}: {} has {} of {}", who, where, stands.semaphore, stands.count,
                     stands.need);
}

std::vector<const Copy*> pending(Machine& machine, const SemId& sem) {
  std::vector<const Copy*> all;
  for (std::int32_t entry = machine.cell(sem).first_pending; entry >= 0;
       entry = machine.copies().next_pending(entry))
    all.push_back(&machine.copies().at(Copies::slot_of(entry)));
  return all;
}

std::string pending_text(Machine& machine, const SemId& sem) {
  std::string text;
  const std::vector<const Copy*> all = pending(machine, sem);
  for (std::size_t i = 0; i < std::min(all.size(), max_reported); ++i)
    text += fmt::format("  {} is in flight and will signal it, started at {}\n",
                        to_string(all[i]->id), line_text(machine.program(), all[i]->statement));
  if (all.size() > max_reported)
    text += fmt::format("  ... {} more copies in flight\n", all.size() - max_reported);
  return text;
}

}  // namespace

std::string whence_count(Session& session, const SemId& sem) {
  Machine& machine = session.machine();
  const Program& program = machine.program();
  const SemCell& cell = machine.cell(sem);
  std::string text = fmt::format("{} = {}\n", sem_text(machine, sem), cell.count);
  for (const Tally& tally : cell.tallies)
    text += fmt::format(
        "  {} {} {} {}, {} in all, last at {}\n", to_string(machine.topology().agent(tally.core)),
        tally.is_wait ? "took" : "signalled", counted(tally.times, "time"),
        tally.is_wait ? "from it" : "here", tally.amount,
        place_text(program, tally.statement, loop_indices(program, tally.statement, tally.loops)));
  if (cell.tallies.empty()) text += "  no signals and no waits yet\n";
  if (cell.waiter) text += "  " + standing_text(machine, cell.waiter) + "\n";
  return text + pending_text(machine, sem);
}

// Describes a waiting core and the cores that could signal it, and then these cores in turn, until
// a core repeats.
std::string why_core(Session& session, CoreIndex core) {
  Machine& machine = session.machine();
  const Program& program = machine.program();
  const Signallers signallers(machine);
  std::string text;
  std::set<CoreIndex> told;
  std::vector<CoreIndex> open = {core};
  for (std::size_t i = 0; i < open.size() && i < max_reported; ++i) {
    const CoreIndex core_index = open[i];
    told.insert(core_index);
    text += standing_text(machine, core_index) + "\n";
    const Core& waits = machine.core_state(core_index).core;
    if (waits.is_finished() || waits.is_free() || !waits.is_blocked()) continue;
    const SemId sem = waits.need().sem;
    text += pending_text(machine, sem);
    bool is_any = !pending(machine, sem).empty();
    std::vector<CoreIndex> helpers;
    std::set<std::pair<CoreIndex, StmtId>> lines;
    for (const Signaller& one : signallers.of(sem)) {
      if (!one.is_ahead || !lines.insert({one.core, one.statement}).second) continue;
      is_any = true;
      if (std::find(helpers.begin(), helpers.end(), one.core) == helpers.end())
        helpers.push_back(one.core);
      if (lines.size() > max_reported) continue;
      text += fmt::format(
          "  {} {} signal it at {}, done {}{}\n", to_string(machine.topology().agent(one.core)),
          one.is_known ? "can" : "may, depending on memory,", line_text(program, one.statement),
          counted(one.executed, "time"), one.expected ? fmt::format(" of {}", *one.expected) : "");
    }
    if (lines.size() > max_reported)
      text += fmt::format("  ... {} more\n", lines.size() - max_reported);
    if (!is_any) text += "  no running core can signal it\n";
    for (const CoreIndex helper : helpers) {
      const bool is_known = std::find(open.begin(), open.end(), helper) != open.end();
      if (!is_known) open.push_back(helper);
      if (told.contains(helper) && helper != core_index)
        text += fmt::format("  and {} waits as above: a cycle\n",
                            to_string(machine.topology().agent(helper)));
    }
  }
  if (open.size() > max_reported)
    text += fmt::format("... {} more cores\n", open.size() - max_reported);
  return text;
}

}  // namespace tessera::debugger
