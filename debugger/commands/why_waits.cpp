// Why cores wait, and who counted on a semaphore.
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

constexpr std::size_t most_told = 8;

std::string sem_text(Machine& machine, const SemId& sem) {
  return machine.topology().name(sem.site) + " " +
         cell_text(machine.program(), sem.semaphore, sem.cell);
}

std::string place_text(const Program& program, StmtId statement, const LoopIndices& loops) {
  std::string text = line_text(program, statement);
  if (!loops.empty()) text += ", " + to_string(loops);
  return text;
}

std::string standing_text(Machine& machine, SiteId site) {
  const Standing stands = standing(machine, site);
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
  for (std::size_t i = 0; i < std::min(all.size(), most_told); ++i)
    text += fmt::format("  {} is in flight and will signal it, started at {}\n",
                        to_string(all[i]->id), line_text(machine.program(), all[i]->statement));
  if (all.size() > most_told)
    text += fmt::format("  ... {} more copies in flight\n", all.size() - most_told);
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
        "  {} {} {} {}, {} in all, last at {}\n", to_string(machine.topology().agent(tally.site)),
        tally.is_wait ? "took" : "signalled", counted(tally.times, "time"),
        tally.is_wait ? "from it" : "here", tally.amount,
        place_text(program, tally.statement, loop_indices(program, tally.statement, tally.loops)));
  if (cell.tallies.empty()) text += "  nobody has counted on it\n";
  if (cell.waiter) text += "  " + standing_text(machine, cell.waiter) + "\n";
  return text + pending_text(machine, sem);
}

// From one who waits to those who could signal it, until somebody comes again.
std::string why_core(Session& session, SiteId core) {
  Machine& machine = session.machine();
  const Program& program = machine.program();
  const Signallers signallers(machine);
  std::string text;
  std::set<SiteId> told;
  std::vector<SiteId> open = {core};
  for (std::size_t i = 0; i < open.size() && i < most_told; ++i) {
    const SiteId site = open[i];
    told.insert(site);
    text += standing_text(machine, site) + "\n";
    const Core& waits = machine.core_state(site).core;
    if (waits.is_finished() || waits.is_free() || !waits.is_blocked()) continue;
    const SemId sem = waits.need().sem;
    text += pending_text(machine, sem);
    bool is_any = !pending(machine, sem).empty();
    std::vector<SiteId> helpers;
    std::set<std::pair<SiteId, StmtId>> lines;
    for (const Signaller& one : signallers.of(sem)) {
      if (!one.is_ahead || !lines.insert({one.site, one.statement}).second) continue;
      is_any = true;
      if (std::find(helpers.begin(), helpers.end(), one.site) == helpers.end())
        helpers.push_back(one.site);
      if (lines.size() > most_told) continue;
      text += fmt::format(
          "  {} {} signal it at {}, done {}{}\n", to_string(machine.topology().agent(one.site)),
          one.is_known ? "can" : "may, by what it reads,", line_text(program, one.statement),
          counted(one.executed, "time"), one.expected ? fmt::format(" of {}", *one.expected) : "");
    }
    if (lines.size() > most_told) text += fmt::format("  ... {} more\n", lines.size() - most_told);
    if (!is_any) text += "  nobody who still runs can signal it\n";
    for (const SiteId helper : helpers) {
      const bool is_known = std::find(open.begin(), open.end(), helper) != open.end();
      if (!is_known) open.push_back(helper);
      if (told.contains(helper) && helper != site)
        text += fmt::format("  and {} waits as above: a cycle\n",
                            to_string(machine.topology().agent(helper)));
    }
  }
  if (open.size() > most_told) text += fmt::format("... {} more cores\n", open.size() - most_told);
  return text;
}

}  // namespace tessera::debugger
