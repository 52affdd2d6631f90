#include "interp/graph/frontier.h"

#include <algorithm>

namespace tessera::graph {

void Frontier::add(HalfId half, HalfId before, bool is_data) {
  if (half == before) return;
  std::vector<Before>& all = graph_.halves[half].before;
  const auto known =
      std::find_if(all.begin(), all.end(), [&](const Before& b) { return b.half == before; });
  if (known == all.end())
    all.push_back({before, is_data});
  else
    known->is_data |= is_data;
}

void Frontier::look(HalfId half, const Touch& touch) {
  const Lists& lists = memories_[touch.memory];
  for (const Live& writer : lists.writers)
    if (intersects(writer.box, touch.box)) add(half, writer.half, touch.reads);
  if (!touch.writes) return;
  for (const Live& reader : lists.readers)
    if (intersects(reader.box, touch.box)) add(half, reader.half, false);
}

void Frontier::enter(HalfId half, const Touch& touch) {
  Lists& lists = memories_[touch.memory];
  if (!touch.writes) {
    lists.readers.push_back({half, touch.box});
    return;
  }
  const auto is_covered = [&](const Live& live) { return contains(touch.box, live.box); };
  std::erase_if(lists.writers, is_covered);
  std::erase_if(lists.readers, is_covered);
  lists.writers.push_back({half, touch.box});
}

void Frontier::run() {
  for (const HalfId half : graph_.halves.ids()) {
    graph_.halves[half].before.clear();
    for (const Touch& touch : graph_.halves[half].touches) look(half, touch);
    for (const Touch& touch : graph_.halves[half].touches) enter(half, touch);
  }
}

std::vector<HalfId> Frontier::last_writers() const {
  std::vector<HalfId> last;
  for (const MemoryId m : memories_.ids()) {
    const BufferId buffer = graph_.memories[m].buffer;
    if (!buffer || graph_.program.buffers[buffer].role != Role::out) continue;
    for (const Live& writer : memories_[m].writers) last.push_back(writer.half);
  }
  return last;
}

namespace {

bool is_same(const Touch& a, const Touch& b) {
  return a.memory == b.memory && a.reads == b.reads && a.writes == b.writes &&
         same_rectangle(a.box, b.box);
}

// Adds what a node touches after what it touched before: it reads nothing of others where it has
// written itself.
void add_touch(std::vector<Touch>& all, const Touch& touch) {
  for (const Touch& before : all) {
    if (before.memory != touch.memory) continue;
    if (is_same(before, touch)) return;
    if (before.writes && contains(before.box, touch.box)) return;
  }
  all.push_back(touch);
}

}  // namespace

void add_halves(TaskGraph& graph, const Table<ActionId, std::vector<Touch>>& touches) {
  graph.halves.clear();
  for (const NodeId n : graph.nodes.ids()) {
    Node& node = graph.nodes[n];
    node.halves = node.copies() ? 2 : 1;
    node.first = graph.halves.next();
    std::vector<Touch> reads, writes;
    for (const ActionId a : node.actions)
      for (const Touch& touch : touches[a])
        add_touch(node.copies() && touch.writes ? writes : reads, touch);
    if (!node.copies()) {
      graph.halves.add({n, Part::whole, std::move(reads), {}});
    } else {
      graph.halves.add({n, Part::read, std::move(reads), {}});
      graph.halves.add({n, Part::write, std::move(writes), {}});
    }
  }
}

}  // namespace tessera::graph
