#include "analysis/task_graph/edge_builder.h"

#include <algorithm>

#include "analysis/task_graph/footprint.h"

namespace tessera::graph {
namespace {

// Sorts by side and removes duplicates. The remaining dependence is a flow if one of them was.
void sort_and_join(std::vector<Dependence>& all) {
  std::sort(all.begin(), all.end(), [](const Dependence& a, const Dependence& b) {
    return a.side != b.side ? a.side < b.side : a.is_flow && !b.is_flow;
  });
  const auto same = [](const Dependence& a, const Dependence& b) { return a.side == b.side; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
}

}  // namespace

EdgeBuilder::Lists& EdgeBuilder::lists(MemoryId memory) {
  Lists*& known = lists_by_memory_[memory];
  if (known == nullptr) {
    const Shape& shape = shape_of(graph_, memory);
    known = &lists_.emplace_back(
        Lists{BoxIndex<SideId>(shape, &pool_), BoxIndex<SideId>(shape, &pool_)});
  }
  return *known;
}

void EdgeBuilder::add_dependences(SideId side, const MemoryAccess& access) {
  const auto add = [&](SideId other, bool is_flow) {
    if (other != side) dependences_.push_back({other, is_flow});
  };
  const Lists& known = lists(access.memory);
  known.writers.for_each_meeting(access.box,
                                 [&](const Box&, SideId writer) { add(writer, access.reads); });
  if (!access.writes) return;
  known.readers.for_each_meeting(access.box,
                                 [&](const Box&, SideId reader) { add(reader, false); });
}

void EdgeBuilder::record(SideId side, const MemoryAccess& access) {
  Lists& known = lists(access.memory);
  if (!access.writes) return known.readers.add(access.box, side);
  known.writers.erase_covered(access.box);
  known.readers.erase_covered(access.box);
  known.writers.add(access.box, side);
}

void EdgeBuilder::add_dependences(SideId side) {
  dependences_.clear();
  for (const MemoryAccess& access : graph_.sides[side].accesses) add_dependences(side, access);
  sort_and_join(dependences_);
  graph_.sides[side].predecessors = ArenaList<Dependence>::of(*graph_.arena, dependences_);
}

void EdgeBuilder::run() {
  for (const SideId side : graph_.sides.ids()) {
    add_dependences(side);
    for (const MemoryAccess& access : graph_.sides[side].accesses) record(side, access);
  }
}

void EdgeBuilder::run(const Table<SideId, bool>& wanted) {
  Table<MemoryId, bool> is_wanted(graph_.memories.size(), false);
  SideId last{};
  for (const SideId side : graph_.sides.ids()) {
    if (!wanted[side]) continue;
    for (const MemoryAccess& access : graph_.sides[side].accesses) is_wanted[access.memory] = true;
    last = side;
  }
  if (!last) return;
  for (const SideId side : IdRange(SideId(0), last + 1)) {
    if (wanted[side]) add_dependences(side);
    for (const MemoryAccess& access : graph_.sides[side].accesses)
      if (is_wanted[access.memory]) record(side, access);
  }
}

std::vector<SideId> EdgeBuilder::last_writers() const {
  std::vector<SideId> last;
  for (const MemoryId m : graph_.memories.ids()) {
    const BufferId buffer = graph_.memories[m].buffer;
    if (!buffer || graph_.program.buffers[buffer].role != Role::out) continue;
    if (lists_by_memory_[m] != nullptr)
      lists_by_memory_[m]->writers.for_each([&](SideId side) { last.push_back(side); });
  }
  return last;
}

}  // namespace tessera::graph
