#include "interp/graph/halves.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "interp/graph/footprint.h"

namespace tessera::graph {
namespace {

// What pipelines touch; of each pattern it is found once, in the memory of the first.
class PipelineTouches {
 public:
  PipelineTouches(const TaskGraph& graph, const ActionTouches& touches)
      : graph_(graph),
        touches_(touches),
        footprint_(graph),
        known_(graph.instances.patterns.size()) {}

  std::vector<Touch> of(const Node& node) {
    if (node.instance) return of_instance(node.instance);
    const PatternId pattern = pattern_of_first(node.actions.front());
    return pattern ? of_first(pattern) : outer(node.actions);
  }

 private:
  template <typename Actions>
  std::vector<Touch> outer(const Actions& actions) {
    for (const ActionId a : actions)
      for (const Touch& touch : touches_[a])
        if (!graph_.memories[touch.memory].is_inner) footprint_.add(touch);
    return footprint_.take();
  }

  // Whose first pipeline begins with that action. Patterns come as these do.
  PatternId pattern_of_first(ActionId action) const {
    const auto& all = graph_.instances.patterns;
    const auto found =
        std::lower_bound(all.begin(), all.end(), action,
                         [](const Pattern& pattern, ActionId a) { return pattern.first < a; });
    return found != all.end() && found->first == action ? all.id_of(*found) : PatternId();
  }

  const std::vector<Touch>& of_first(PatternId pattern) {
    std::optional<std::vector<Touch>>& known = known_[pattern];
    const Pattern& all = graph_.instances.patterns[pattern];
    if (!known) known = outer(IdRange(all.first, all.last));
    return *known;
  }

  std::vector<Touch> of_instance(InstanceId instance) {
    std::vector<Touch> own = of_first(graph_.instances.all[instance].pattern);
    for (Touch& touch : own) touch.memory = own_memory(instance, touch.memory);
    // As a footprint has them.
    std::stable_sort(own.begin(), own.end(),
                     [](const Touch& a, const Touch& b) { return a.memory < b.memory; });
    return own;
  }

  MemoryId own_memory(InstanceId instance, MemoryId of_first) const {
    const std::vector<Pattern::Reached>& reached = graph_.instances.pattern(instance).reached;
    const auto at = std::find_if(reached.begin(), reached.end(),
                                 [&](const Pattern::Reached& r) { return r.memory == of_first; });
    return graph_.instances.memories_of(instance)[static_cast<std::size_t>(at - reached.begin())]
        .memory;
  }

  const TaskGraph& graph_;
  const ActionTouches& touches_;
  Footprint footprint_;
  Table<PatternId, std::optional<std::vector<Touch>>> known_;
};

}  // namespace

void add_halves(TaskGraph& graph, const ActionTouches& touches) {
  graph.halves.clear();
  Footprint reads(graph), writes(graph);
  PipelineTouches of_pipelines(graph, touches);
  for (const NodeId n : graph.nodes.ids()) {
    Node& node = graph.nodes[n];
    node.halves = node.copies() ? 2 : 1;
    node.first = graph.halves.next();
    if (node.pipeline) {
      graph.halves.add({n, Part::whole, of_pipelines.of(node), {}});
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
