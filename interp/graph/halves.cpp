#include "interp/graph/halves.h"

#include <utility>

#include "interp/graph/footprint.h"

namespace tessera::graph {

void add_halves(TaskGraph& graph, const Table<ActionId, std::vector<Touch>>& touches) {
  graph.halves.clear();
  Footprint reads(graph), writes(graph);
  for (const NodeId n : graph.nodes.ids()) {
    Node& node = graph.nodes[n];
    node.halves = node.copies() ? 2 : 1;
    node.first = graph.halves.next();
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
