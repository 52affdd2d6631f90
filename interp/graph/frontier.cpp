#include "interp/graph/frontier.h"

#include <algorithm>

#include "interp/graph/footprint.h"

namespace tessera::graph {
namespace {

// Each half once, in their order; with data where any of its edges has.
void sort_and_join(std::vector<Before>& all) {
  std::sort(all.begin(), all.end(), [](const Before& a, const Before& b) {
    return a.half != b.half ? a.half < b.half : a.is_data && !b.is_data;
  });
  const auto same = [](const Before& a, const Before& b) { return a.half == b.half; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
}

}  // namespace

Frontier::Frontier(TaskGraph& graph) : graph_(graph) {
  memories_.reserve(graph.memories.size());
  for (const MemoryId m : graph.memories.ids()) {
    const Shape& shape = shape_of(graph, m);
    memories_.add({BoxIndex<HalfId>(shape), BoxIndex<HalfId>(shape)});
  }
}

void Frontier::look(HalfId half, const Touch& touch) {
  std::vector<Before>& before = graph_.halves[half].before;
  const auto add = [&](HalfId other, bool is_data) {
    if (other != half) before.push_back({other, is_data});
  };
  const Lists& lists = memories_[touch.memory];
  lists.writers.for_each_meeting(touch.box,
                                 [&](const Box&, HalfId writer) { add(writer, touch.reads); });
  if (!touch.writes) return;
  lists.readers.for_each_meeting(touch.box, [&](const Box&, HalfId reader) { add(reader, false); });
}

void Frontier::enter(HalfId half, const Touch& touch) {
  Lists& lists = memories_[touch.memory];
  if (!touch.writes) return lists.readers.add(touch.box, half);
  lists.writers.erase_covered(touch.box);
  lists.readers.erase_covered(touch.box);
  lists.writers.add(touch.box, half);
}

void Frontier::run() {
  for (const HalfId half : graph_.halves.ids()) {
    graph_.halves[half].before.clear();
    for (const Touch& touch : graph_.halves[half].touches) look(half, touch);
    for (const Touch& touch : graph_.halves[half].touches) enter(half, touch);
    sort_and_join(graph_.halves[half].before);
  }
}

std::vector<HalfId> Frontier::last_writers() const {
  std::vector<HalfId> last;
  for (const MemoryId m : memories_.ids()) {
    const BufferId buffer = graph_.memories[m].buffer;
    if (!buffer || graph_.program.buffers[buffer].role != Role::out) continue;
    memories_[m].writers.for_each([&](HalfId half) { last.push_back(half); });
  }
  return last;
}

}  // namespace tessera::graph
