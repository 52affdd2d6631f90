#include "analysis/task_graph/footprint.h"

#include <utility>

namespace tessera::graph {

const Shape& shape_of(const TaskGraph& graph, MemoryId memory) {
  static const Shape number;
  const BufferId buffer = graph.memories[memory].buffer;
  return buffer ? graph.program.buffers[buffer].shape : number;
}

// True if the side has written the whole rectangle. Most sides never read their own writes, so the
// index of writes is only built when a side does.
bool Footprint::is_own(Reached& reached, MemoryId memory, const Box& box) const {
  if (!reached.is_written()) return false;
  if (!reached.written) {
    reached.written.emplace(shape_of(graph_, memory));
    for (const Mode manner : {update, write})
      reached.by_manner[manner].for_each(
          [&](const Box& written) { reached.written->add(written, {}); });
  }
  bool is_covered = false;
  reached.written->for_each_meeting(
      box, [&](const Box& written, char) { is_covered |= contains(written, box); });
  return is_covered;
}

void Footprint::add(const MemoryAccess& access) {
  if (access.box.empty()) return;
  Reached& reached = reached_[access.memory];
  if ((access.reads || reached.written) && is_own(reached, access.memory, access.box)) return;
  reached.by_manner[!access.writes ? read : access.reads ? update : write].add(access.box);
  if (access.writes && reached.written) reached.written->add(access.box, {});
}

std::vector<MemoryAccess> Footprint::take() {
  std::vector<MemoryAccess> all;
  for (auto& [memory, reached] : reached_)
    for (const Mode manner : {read, update, write})
      for (const Box& box : reached.by_manner[manner].take())
        all.push_back({memory, manner != write, manner != read, box});
  reached_.clear();
  return all;
}

}  // namespace tessera::graph
