#include "analysis/node_check/run_match.h"

namespace tessera::graph {

RunMatch::RunMatch(const TaskGraph& graph) : graph_(graph) {
  for (const ActionId a : graph.actions.ids()) {
    const CoreIndex core = graph.actions[a].core;
    if (!by_core_.has(core)) by_core_.resize(static_cast<std::size_t>(core.index) + 1);
    by_core_[core].push_back(a);
  }
  next_.resize(by_core_.size());
  for (const MemoryId m : graph.memories.ids())
    if (graph.memories[m].buffer) memories_.emplace(graph.memories[m], m);
}

void RunMatch::extend(const Log& log, std::size_t count) {
  for (std::size_t i = matched_.size(); i < count; ++i) {
    const Action& action = log.actions[matched_.add(ActionId())];
    if (!by_core_.has(action.core) || next_[action.core] == by_core_[action.core].size()) {
      differs_ = true;
      continue;
    }
    const ActionId match = by_core_[action.core][next_[action.core]++];
    if (graph_.actions[match].statement == action.statement)
      matched_.back() = match;
    else
      differs_ = true;
  }
}

ActionId RunMatch::action(const Log& log, ActionId action) {
  if (!log.actions.has(action)) return {};
  extend(log, log.actions.size());
  return matched_[action];
}

MemoryId RunMatch::memory(const Memory& memory) const {
  const auto found = memories_.find(memory);
  return found == memories_.end() ? MemoryId() : found->second;
}

bool RunMatch::is_whole(const Log& log) {
  extend(log, log.actions.size());
  if (differs_ || matched_.size() != graph_.actions.size()) return false;
  std::size_t found = 0;
  for (const Memory& memory : log.memories) {
    if (!memory.buffer) continue;
    if (!memories_.contains(memory)) return false;
    ++found;
  }
  return found == memories_.size();
}

}  // namespace tessera::graph
