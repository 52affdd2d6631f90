#include "analysis/task_graph/halves.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/task_graph/footprint.h"
#include "analysis/task_graph/frontier.h"

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

  Touches of(const Node& node) {
    if (node.instance) return of_instance(node.instance);
    return Touches::of(*graph_.arena, node.pattern ? of_first(node.pattern) : outer(node.actions));
  }

 private:
  template <typename Actions>
  std::vector<Touch> outer(const Actions& actions) {
    for (const ActionId a : actions)
      for (const Touch& touch : touches_[a])
        if (!graph_.memories[touch.memory].is_inner) footprint_.add(touch);
    return footprint_.take();
  }

  const std::vector<Touch>& of_first(PatternId pattern) {
    std::optional<std::vector<Touch>>& known = known_[pattern];
    const Pattern& all = graph_.instances.patterns[pattern];
    if (!known) known = outer(IdRange(all.first, all.last));
    return *known;
  }

  // As a footprint has them.
  Touches of_instance(InstanceId instance) {
    own_ = of_first(graph_.instances.all[instance].pattern);
    for (Touch& touch : own_) touch.memory = own_memory(instance, touch.memory);
    const auto is_less = [](const Touch& a, const Touch& b) { return a.memory < b.memory; };
    if (!std::is_sorted(own_.begin(), own_.end(), is_less))
      std::stable_sort(own_.begin(), own_.end(), is_less);
    return Touches::of(*graph_.arena, own_);
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
  std::vector<Touch> own_;  // of an instance that is looked at
  Table<PatternId, std::optional<std::vector<Touch>>> known_;
};

}  // namespace

void add_halves(TaskGraph& graph, const ActionTouches& touches) {
  graph.halves.clear();
  graph.halves.reserve(2 * graph.nodes.size());
  Footprint reads(graph), writes(graph);
  PipelineTouches of_pipelines(graph, touches);
  const auto taken = [&](Footprint& footprint) {
    return Touches::of(*graph.arena, footprint.take());
  };
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
      graph.halves.add({n, Part::whole, taken(reads), {}});
    } else {
      graph.halves.add({n, Part::read, taken(reads), {}});
      graph.halves.add({n, Part::write, taken(writes), {}});
    }
  }
}

// An edge to what is left out may stand for others: it wrote over what they were of. So a half that
// has one gets its edges anew.
void keep_nodes(TaskGraph& graph, const Table<NodeId, bool>& wanted) {
  Table<HalfId, HalfId> renamed(graph.halves.size());
  Table<HalfId, bool> anew;
  NodeId next_node(0);
  HalfId next_half(0);
  for (const NodeId n : graph.nodes.ids()) {
    if (!wanted[n]) continue;
    Node node = graph.nodes[n];
    const HalfId first = std::exchange(node.first, next_half);
    for (int h = 0; h < node.halves; ++h, ++next_half) {
      Half half = graph.halves[first + h];
      half.node = next_node;
      anew.add(false);
      for (Before& before : half.before) {
        before.half = renamed[before.half];
        if (!before.half) anew.back() = true;
      }
      renamed[first + h] = next_half;
      graph.halves[next_half] = half;
    }
    graph.nodes[next_node] = node;
    ++next_node;
  }
  graph.nodes.resize(static_cast<std::size_t>(next_node.index));
  graph.halves.resize(static_cast<std::size_t>(next_half.index));
  Frontier(graph).run(anew);
}

}  // namespace tessera::graph
