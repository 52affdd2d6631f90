// Findings and result hashes of a run.
#include <algorithm>
#include <utility>

#include "interp/findings/describe.h"
#include "interp/findings/leftover.h"
#include "interp/machine/loop_indices.h"
#include "interp/machine/machine.h"

namespace tessera {

void Machine::report_leak(const SemId& sem, StmtId statement, const std::string& when) {
  SemCell& left = cell(sem);
  if (!options_.checks.enabled || std::exchange(left.is_reported, true)) return;
  Finding finding = leak_finding(program_, topology_, sem, left, statement, when);
  if (finding.kind == FindingKind::semaphore_leak)
    finding.at.loops = loops_of(topology_.agent(sem.core), statement);
  findings_.push_back(std::move(finding));
}

LoopIndices Machine::loops_of(const AgentId& agent, StmtId statement) {
  if (agent.is_copy())
    return moving_ == nullptr ? LoopIndices{} : loop_indices(program_, statement, moving_->loops);
  return loop_indices(program_, statement, core_state(topology_.of(agent)).core.registers().data());
}

void Machine::report(FindingKind kind, std::string message, const AgentId& agent, StmtId statement,
                     std::vector<FindingPlace> notes) {
  const PlaceId place = program_.place_of(statement);
  add_call_chain(program_, place, notes);
  FindingPlace at{.loc = program_.loc(place),
                  .device = agent.device,
                  .agent = to_string(agent),
                  .loops = loops_of(agent, statement)};
  findings_.push_back({.kind = kind,
                       .message = std::move(message),
                       .at = std::move(at),
                       .notes = std::move(notes),
                       .about = {.statement = statement},
                       .devices = {agent.device}});
}

void Machine::report_once(FindingKind kind, std::string message, const AgentId& agent,
                          StmtId statement) {
  if (stopped_) return;
  const std::string name = to_string(agent);
  const auto is_same = [&](const Finding& f) {
    return f.kind == kind && f.about.statement == statement && f.at.agent == name;
  };
  if (std::none_of(findings_.begin(), findings_.end(), is_same))
    report(kind, std::move(message), agent, statement);
}

void Machine::stop(FindingKind kind, std::string message, const AgentId& agent, StmtId statement,
                   std::vector<FindingPlace> notes) {
  if (stopped_) return;
  report(kind, std::move(message), agent, statement, std::move(notes));
  stopped_ = true;
}

void Machine::stop(Finding finding, const AgentId& agent, StmtId statement) {
  if (stopped_) return;
  finding.at.loops = loops_of(agent, statement);
  findings_.push_back(std::move(finding));
  stopped_ = true;
}

void Machine::refuse(Diag diag) {
  if (!refused_) refused_ = std::move(diag);
  stopped_ = true;
}

std::vector<ResultHash> Machine::hash_results() {
  std::vector<ResultHash> hashes;
  for (int d = 0; d < topology_.devices; ++d) {
    for (const BufferId b : program_.buffers.ids()) {
      const Buffer& buffer = program_.buffers[b];
      if (buffer.role != Role::out) continue;
      Storage& storage = *core_state(topology_.first_of(d)).storages[b];
      const TileView view = storage.read(storage.whole());
      std::uint64_t hash = 0xCBF29CE484222325ULL;
      for (std::int64_t i = 0, n = storage.bytes(); i < n; ++i)
        hash = (hash ^ static_cast<std::uint64_t>(view.data[i])) * 0x100000001B3ULL;
      hashes.push_back({d, buffer.name, hash});
    }
  }
  return hashes;
}

}  // namespace tessera
