// Memory that copies need not fill: where what they bring lies.
#include <algorithm>

#include "analysis/task_engine/memories.h"
#include "core/report/check.h"

namespace tessera::graph {

void Memories::read_in_place(const Forwards& forwards) {
  forwards_ = &forwards;
  for (const Half& half : graph_.halves)
    for (const Touch& touch : half.touches)
      for (const MemoryId source : forwards.sources[touch.memory])
        if (Shared* const shared = shared_[index(source)].get()) ++shared->halves;
}

void Memories::forward(ActionId copy) {
  const Rectangle& to = graph_.actions[copy].to();
  std::vector<ActionId>& brought = brought_[to.memory];
  std::erase_if(brought,
                [&](ActionId old) { return contains(to.box, graph_.actions[old].to().box); });
  brought.push_back(copy);
}

const Action& Memories::bringer(MemoryId memory, const Box& box) const {
  const auto found = brought_.find(memory);
  CHECK(found != brought_.end());
  const auto copy = std::find_if(found->second.rbegin(), found->second.rend(), [&](ActionId one) {
    return contains(graph_.actions[one].to().box, box);
  });
  CHECK(copy != found->second.rend());
  return graph_.actions[*copy];
}

}  // namespace tessera::graph
