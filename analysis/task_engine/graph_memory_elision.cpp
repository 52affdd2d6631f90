// Memory of elided copies: finds the source of the data.
#include <algorithm>

#include "analysis/task_engine/graph_memory.h"
#include "core/report/check.h"

namespace tessera::graph {

void GraphMemory::elide_copies(const ElidedCopies& forwards) {
  elided_copies_ = &forwards;
  for (const NodeSide& side : graph_.sides)
    for (const MemoryAccess& access : side.accesses)
      for (const MemoryId source : forwards.sources[access.memory])
        if (Shared* const shared = shared_[index(source)].get()) ++shared->open_sides;
}

void GraphMemory::complete_elided(ActionId copy) {
  const Rectangle& to = graph_.actions[copy].to();
  std::vector<ActionId>& brought = last_copies_[to.memory];
  std::erase_if(brought,
                [&](ActionId old) { return contains(to.box, graph_.actions[old].to().box); });
  brought.push_back(copy);
}

const Action& GraphMemory::source_copy(MemoryId memory, const Box& box) const {
  const auto found = last_copies_.find(memory);
  CHECK(found != last_copies_.end());
  const auto copy = std::find_if(found->second.rbegin(), found->second.rend(), [&](ActionId one) {
    return contains(graph_.actions[one].to().box, box);
  });
  CHECK(copy != found->second.rend());
  return graph_.actions[*copy];
}

}  // namespace tessera::graph
