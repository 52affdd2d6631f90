#include "interp/graph/halves.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "interp/graph/footprint.h"

namespace tessera::graph {

namespace {

// What pipelines of each pattern touch, in the memory of the first.
class PatternTouches {
 public:
  PatternTouches(const TaskGraph& graph, const Table<ActionId, Touches>& touches)
      : graph_(graph), touches_(touches), known_(graph.instances.patterns.size()) {}

  std::vector<Touch> of(InstanceId instance, Footprint& footprint) {
    const Pattern& pattern = graph_.instances.pattern(instance);
    std::optional<std::vector<Touch>>& known = known_[graph_.instances.all[instance].pattern];
    if (!known) {
      for (ActionId a = pattern.first; a < pattern.last; ++a)
        for (const Touch& touch : touches_[a])
          if (!graph_.memories[touch.memory].is_inner) footprint.add(touch);
      known = footprint.take();
    }
    std::vector<Touch> own = *known;
    for (Touch& touch : own) touch.memory = own_memory(instance, touch.memory);
    // As footprint.take() has them.
    std::stable_sort(own.begin(), own.end(),
                     [](const Touch& a, const Touch& b) { return a.memory < b.memory; });
    return own;
  }

 private:
  MemoryId own_memory(InstanceId instance, MemoryId of_first) const {
    const std::vector<Pattern::Reached>& reached = graph_.instances.pattern(instance).reached;
    const auto at = std::find_if(reached.begin(), reached.end(),
                                 [&](const Pattern::Reached& r) { return r.memory == of_first; });
    return graph_.instances.memories_of(instance)[static_cast<std::size_t>(at - reached.begin())]
        .memory;
  }

  const TaskGraph& graph_;
  const Table<ActionId, Touches>& touches_;
  Table<PatternId, std::optional<std::vector<Touch>>> known_;
};

}  // namespace

void add_halves(TaskGraph& graph, const Table<ActionId, Touches>& touches) {
  graph.halves.clear();
  Footprint reads(graph), writes(graph);
  PatternTouches of_patterns(graph, touches);
  for (const NodeId n : graph.nodes.ids()) {
    Node& node = graph.nodes[n];
    node.halves = node.copies() ? 2 : 1;
    node.first = graph.halves.next();
    if (node.instance) {
      graph.halves.add({n, Part::whole, of_patterns.of(node.instance, reads), {}});
      continue;
    }
    for (const ActionId a : node.actions)
      for (const Touch& touch : touches[a])
        if (!graph.memories[touch.memory].is_inner)
          (node.copies() && touch.writes ? writes : reads).add(touch);
    if (!node.copies()) {
      graph.halves.add({n, Part::whole, reads.take(), {}});
    } else {
      graph.halves.add({n, Part::read, reads.take(), {}});
      graph.halves.add({n, Part::write, writes.take(), {}});
    }
  }
}

void keep_nodes(TaskGraph& graph, const Table<NodeId, bool>& wanted) {
  Table<NodeId, Node> nodes;
  Table<HalfId, Half> halves;
  for (const NodeId n : graph.nodes.ids()) {
    if (!wanted[n]) continue;
    const HalfId first = std::exchange(graph.nodes[n].first, halves.next());
    for (int h = 0; h < graph.nodes[n].halves; ++h) {
      Half& half = halves[halves.add(std::move(graph.halves[first + h]))];
      half.node = nodes.next();
      half.before.clear();
    }
    nodes.add(std::move(graph.nodes[n]));
  }
  graph.nodes = std::move(nodes);
  graph.halves = std::move(halves);
}

}  // namespace tessera::graph
