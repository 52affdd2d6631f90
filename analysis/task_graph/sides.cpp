#include "analysis/task_graph/sides.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/task_graph/edge_builder.h"
#include "analysis/task_graph/footprint.h"

namespace tessera::graph {
namespace {

// The accesses of pipelines; computed once for each pattern, in the memory of its first pipeline.
class PipelineAccesses {
 public:
  PipelineAccesses(const TaskGraph& graph, const ActionAccesses& accesses)
      : graph_(graph),
        touches_(accesses),
        footprint_(graph),
        known_(graph.instances.patterns.size()) {}

  AccessList of(const Node& node) {
    if (node.instance) return of_instance(node.instance);
    return AccessList::of(*graph_.arena,
                          node.pattern ? of_first(node.pattern) : outer(node.actions));
  }

 private:
  template <typename Actions>
  std::vector<MemoryAccess> outer(const Actions& actions) {
    for (const ActionId a : actions)
      for (const MemoryAccess& access : touches_[a])
        if (!graph_.memories[access.memory].is_inner) footprint_.add(access);
    return footprint_.take();
  }

  const std::vector<MemoryAccess>& of_first(PatternId pattern) {
    std::optional<std::vector<MemoryAccess>>& known = known_[pattern];
    const Pattern& all = graph_.instances.patterns[pattern];
    if (!known) known = outer(IdRange(all.first, all.last));
    return *known;
  }

  // The accesses of the first pipeline in the instance's memory, in the order that a footprint has.
  AccessList of_instance(InstanceId instance) {
    own_ = of_first(graph_.instances.all[instance].pattern);
    for (MemoryAccess& access : own_) access.memory = own_memory(instance, access.memory);
    const auto is_less = [](const MemoryAccess& a, const MemoryAccess& b) {
      return a.memory < b.memory;
    };
    if (!std::is_sorted(own_.begin(), own_.end(), is_less))
      std::stable_sort(own_.begin(), own_.end(), is_less);
    return AccessList::of(*graph_.arena, own_);
  }

  MemoryId own_memory(InstanceId instance, MemoryId of_first) const {
    const std::vector<Pattern::Reached>& reached = graph_.instances.pattern(instance).reached;
    const auto at = std::find_if(reached.begin(), reached.end(),
                                 [&](const Pattern::Reached& r) { return r.memory == of_first; });
    return graph_.instances.memories_of(instance)[static_cast<std::size_t>(at - reached.begin())]
        .memory;
  }

  const TaskGraph& graph_;
  const ActionAccesses& touches_;
  Footprint footprint_;
  std::vector<MemoryAccess> own_;  // accesses of the current instance
  Table<PatternId, std::optional<std::vector<MemoryAccess>>> known_;
};

}  // namespace

void add_sides(TaskGraph& graph, const ActionAccesses& accesses) {
  graph.sides.clear();
  graph.sides.reserve(2 * graph.nodes.size());
  Footprint reads(graph), writes(graph);
  PipelineAccesses of_pipelines(graph, accesses);
  const auto taken = [&](Footprint& footprint) {
    return AccessList::of(*graph.arena, footprint.take());
  };
  for (const NodeId n : graph.nodes.ids()) {
    Node& node = graph.nodes[n];
    node.side_count = node.copies() ? 2 : 1;
    node.first_side = graph.sides.next();
    if (node.pipeline) {
      graph.sides.add({n, SideKind::whole, of_pipelines.of(node), {}});
      continue;
    }
    for (const ActionId a : node.actions)
      for (const MemoryAccess& access : accesses[a])
        if (!graph.memories[access.memory].is_inner)
          (node.copies() && access.writes ? writes : reads).add(access);
    if (!node.copies()) {
      graph.sides.add({n, SideKind::whole, taken(reads), {}});
    } else {
      graph.sides.add({n, SideKind::read, taken(reads), {}});
      graph.sides.add({n, SideKind::write, taken(writes), {}});
    }
  }
}

// A removed side may have overwritten accesses of earlier sides, so the edge to it replaced edges
// to them. The edges of a side that depends on a removed one are therefore rebuilt.
void keep_nodes(TaskGraph& graph, const Table<NodeId, bool>& wanted) {
  Table<SideId, SideId> renamed(graph.sides.size());
  Table<SideId, bool> anew;
  NodeId next_node(0);
  SideId next_side(0);
  for (const NodeId n : graph.nodes.ids()) {
    if (!wanted[n]) continue;
    Node node = graph.nodes[n];
    const SideId first = std::exchange(node.first_side, next_side);
    for (int h = 0; h < node.side_count; ++h, ++next_side) {
      NodeSide side = graph.sides[first + h];
      side.node = next_node;
      anew.add(false);
      for (Dependence& before : side.predecessors) {
        before.side = renamed[before.side];
        if (!before.side) anew.back() = true;
      }
      renamed[first + h] = next_side;
      graph.sides[next_side] = side;
    }
    graph.nodes[next_node] = node;
    ++next_node;
  }
  graph.nodes.resize(static_cast<std::size_t>(next_node.index));
  graph.sides.resize(static_cast<std::size_t>(next_side.index));
  EdgeBuilder(graph).run(anew);
}

}  // namespace tessera::graph
