#include "analysis/node_check/run_match.h"

namespace tessera::graph {

RunMatch::RunMatch(const TaskGraph& graph) : graph_(graph) {
  for (const ActionId a : graph.actions.ids()) {
    const SiteId site = graph.actions[a].site;
    if (!of_site_.has(site)) of_site_.resize(static_cast<std::size_t>(site.index) + 1);
    of_site_[site].push_back(a);
  }
  next_.resize(of_site_.size());
  for (const MemoryId m : graph.memories.ids())
    if (graph.memories[m].buffer) memories_.emplace(graph.memories[m], m);
}

void RunMatch::extend(const Log& log, std::size_t count) {
  for (std::size_t i = matched_.size(); i < count; ++i) {
    const Action& action = log.actions[matched_.add(ActionId())];
    if (!of_site_.has(action.site) || next_[action.site] == of_site_[action.site].size()) {
      differs_ = true;
      continue;
    }
    const ActionId match = of_site_[action.site][next_[action.site]++];
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
