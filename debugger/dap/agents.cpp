#include "debugger/dap/agents.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tessera::debugger {
namespace {

constexpr std::size_t max_copies = 64;
constexpr std::int64_t first_copy = std::int64_t{1} << 24;  // ids of cores are smaller

std::string core_name(Machine& machine, CoreIndex core) {
  const Standing stands = standing(machine, core);
  const std::string name = to_string(stands.agent);
  if (stands.status == CoreStatus::finished) return name + " has finished";
  if (stands.status == CoreStatus::ready) return name;
  return fmt::format("{} waits: {} has {} of {}", name, stands.semaphore, stands.count,
                     stands.need);
}

std::vector<CopyInFlight> first_copies(Machine& machine) {
  std::vector<CopyInFlight> copies = copies_in_flight(machine);
  copies.resize(std::min(copies.size(), max_copies));
  return copies;
}

}  // namespace

std::vector<AgentThread> AgentThreads::now() {
  Machine& machine = session_.machine();
  std::vector<AgentThread> threads;
  for (const CoreIndex core : machine.topology().core_ids()) {
    const AgentId agent = machine.topology().agent(core);
    threads.push_back({id_of(agent), agent, core_name(machine, core)});
  }
  for (const CopyInFlight& copy : first_copies(machine))
    threads.push_back(
        {id_of(copy.agent), copy.agent,
         fmt::format("{} {} -> {}", to_string(copy.agent), copy.source, copy.target)});
  return threads;
}

std::int64_t AgentThreads::id_of(const AgentId& agent) {
  // A loop worker has the id of its core.
  if (!agent.is_copy())
    return session_.machine().topology().of({agent.device, agent.core}).index + 1;
  const auto found = std::find(copies_.begin(), copies_.end(), agent);
  const auto at = found - copies_.begin();
  if (found == copies_.end()) copies_.push_back(agent);
  return first_copy + at;
}

std::optional<AgentId> AgentThreads::find(std::int64_t id) const {
  const Topology& topology = session_.machine().topology();
  if (id >= 1 && id <= topology.count())
    return topology.agent(CoreIndex(static_cast<std::int32_t>(id - 1)));
  const std::int64_t at = id - first_copy;
  if (at < 0 || at >= static_cast<std::int64_t>(copies_.size())) return {};
  return copies_[static_cast<std::size_t>(at)];
}

AgentThreads::Change AgentThreads::change() {
  std::vector<std::int64_t> now;
  for (const CopyInFlight& copy : first_copies(session_.machine()))
    now.push_back(id_of(copy.agent));
  std::sort(now.begin(), now.end());
  Change change;
  std::set_difference(now.begin(), now.end(), known_.begin(), known_.end(),
                      std::back_inserter(change.started));
  std::set_difference(known_.begin(), known_.end(), now.begin(), now.end(),
                      std::back_inserter(change.exited));
  known_ = std::move(now);
  return change;
}

}  // namespace tessera::debugger
