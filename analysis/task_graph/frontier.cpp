#include "analysis/task_graph/frontier.h"

#include <algorithm>

#include "analysis/task_graph/footprint.h"

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

Frontier::Lists& Frontier::lists(MemoryId memory) {
  Lists*& known = of_[memory];
  if (known == nullptr) {
    const Shape& shape = shape_of(graph_, memory);
    known = &lists_.emplace_back(
        Lists{BoxIndex<HalfId>(shape, &pool_), BoxIndex<HalfId>(shape, &pool_)});
  }
  return *known;
}

void Frontier::look(HalfId half, const Touch& touch) {
  const auto add = [&](HalfId other, bool is_data) {
    if (other != half) before_.push_back({other, is_data});
  };
  const Lists& known = lists(touch.memory);
  known.writers.for_each_meeting(touch.box,
                                 [&](const Box&, HalfId writer) { add(writer, touch.reads); });
  if (!touch.writes) return;
  known.readers.for_each_meeting(touch.box, [&](const Box&, HalfId reader) { add(reader, false); });
}

void Frontier::enter(HalfId half, const Touch& touch) {
  Lists& known = lists(touch.memory);
  if (!touch.writes) return known.readers.add(touch.box, half);
  known.writers.erase_covered(touch.box);
  known.readers.erase_covered(touch.box);
  known.writers.add(touch.box, half);
}

void Frontier::look(HalfId half) {
  before_.clear();
  for (const Touch& touch : graph_.halves[half].touches) look(half, touch);
  sort_and_join(before_);
  graph_.halves[half].before = ArenaList<Before>::of(*graph_.arena, before_);
}

void Frontier::run() {
  for (const HalfId half : graph_.halves.ids()) {
    look(half);
    for (const Touch& touch : graph_.halves[half].touches) enter(half, touch);
  }
}

void Frontier::run(const Table<HalfId, bool>& wanted) {
  Table<MemoryId, bool> is_asked(graph_.memories.size(), false);
  HalfId last{};
  for (const HalfId half : graph_.halves.ids()) {
    if (!wanted[half]) continue;
    for (const Touch& touch : graph_.halves[half].touches) is_asked[touch.memory] = true;
    last = half;
  }
  if (!last) return;
  for (const HalfId half : IdRange(HalfId(0), last + 1)) {
    if (wanted[half]) look(half);
    for (const Touch& touch : graph_.halves[half].touches)
      if (is_asked[touch.memory]) enter(half, touch);
  }
}

std::vector<HalfId> Frontier::last_writers() const {
  std::vector<HalfId> last;
  for (const MemoryId m : graph_.memories.ids()) {
    const BufferId buffer = graph_.memories[m].buffer;
    if (!buffer || graph_.program.buffers[buffer].role != Role::out) continue;
    if (of_[m] != nullptr) of_[m]->writers.for_each([&](HalfId half) { last.push_back(half); });
  }
  return last;
}

}  // namespace tessera::graph
