#include "interp/findings/leftover.h"

#include <fmt/format.h>

#include "interp/findings/describe.h"
#include "interp/machine/loop_indices.h"

namespace tessera {
namespace {

std::string times_text(const Tally& tally) {
  if (tally.times == 1) return std::to_string(tally.amount);
  if (tally.amount % tally.times == 0)
    return fmt::format("{} x {}", tally.times, tally.amount / tally.times);
  return fmt::format("{} in {} times", tally.amount, tally.times);
}

}  // namespace

std::string sem_text(const Program& program, const Topology& topology, const SemId& sem) {
  return fmt::format("{} of {}", cell_text(program, sem.semaphore, sem.cell),
                     topology.name(sem.core));
}

std::string unit_text(const Program& program, const SemId& sem, std::int64_t amount) {
  const bool bytes = program.semaphores[sem.semaphore].kind == SemKind::bytes;
  return bytes ? counted(amount, "byte") : std::to_string(amount);
}

void add_tallies(const Program& program, const Topology& topology, const SemCell& cell,
                 std::vector<FindingPlace>& notes) {
  for (const Tally& tally : cell.tallies) {
    const AgentId agent = topology.agent(tally.core);
    notes.push_back({.loc = program.loc(tally.statement),
                     .message = fmt::format(
                         "{} {} {} by {}", tally.is_wait ? "waited for" : "signalled",
                         times_text(tally), tally.is_wait ? "here" : "from here", to_string(agent)),
                     .device = agent.device,
                     .agent = to_string(agent),
                     .loops = loop_indices(program, tally.statement, tally.loops),
                     .is_last = tally.times > 1});
  }
}

Finding leak_finding(const Program& program, const Topology& topology, const SemId& sem,
                     const SemCell& cell, StmtId statement, std::string_view other_words) {
  const Semaphore& declared = program.semaphores[sem.semaphore];
  const Tally* copy = nullptr;
  bool is_waited = false;
  for (const Tally& tally : cell.tallies) {
    if (tally.is_wait)
      is_waited = true;
    else if (copy == nullptr)
      copy = &tally;
  }
  Finding finding{.kind = FindingKind::semaphore_leak};
  finding.at.device = topology.device(sem.core);
  finding.devices = {finding.at.device};
  finding.about = {.statement = statement, .semaphore = sem.semaphore};
  const std::string when(!other_words.empty() ? other_words
                         : statement          ? "when it is freed"
                                              : "at exit");
  if (declared.kind == SemKind::bytes && !is_waited && copy != nullptr) {
    finding.kind = FindingKind::unwaited_dma;
    finding.about.copy = copy->statement;
    finding.start = program.loc(copy->statement);
    const auto* remote = std::get_if<StartRemote>(&program.body[copy->statement].op);
    finding.about.of_source =
        remote != nullptr && program.value(remote->sent.base).semaphore == sem.semaphore;
    finding.at.loc = program.loc(copy->statement);
    finding.at.agent = to_string(topology.agent(copy->core));
    finding.at.loops = loop_indices(program, copy->statement, copy->loops);
    finding.at.is_last = copy->times > 1;
    finding.message = fmt::format(
        "no wait for {} started here: {} has {} {}",
        copy->times == 1 ? "the copy that is" : fmt::format("the {} copies that are", copy->times),
        sem_text(program, topology, sem), counted(cell.count, "byte"), when);
  } else {
    finding.at.loc = statement ? program.loc(statement) : program.loc(declared.place);
    finding.at.agent = to_string(topology.agent(sem.core));
    finding.message =
        fmt::format("{} is {} {}, expected 0", sem_text(program, topology, sem), cell.count, when);
  }
  add_tallies(program, topology, cell, finding.notes);
  if (statement) add_call_chain(program, program.place_of(statement), finding.notes);
  return finding;
}

}  // namespace tessera
