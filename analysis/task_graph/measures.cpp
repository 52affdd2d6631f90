#include "analysis/task_graph/measures.h"

#include <algorithm>

namespace tessera::graph {

// One pass is enough: nodes are in commit order, and edges lead forward in this order.
Measures measures(const TaskGraph& graph) {
  Measures m;
  Table<NodeId, std::int64_t> depth(graph.nodes.size(), 0), data_depth(graph.nodes.size(), 0);
  Table<NodeId, Work> heaviest(graph.nodes.size());
  for (const NodeId n : graph.nodes.ids()) {
    const Node& node = graph.nodes[n];
    ++m.nodes[static_cast<std::size_t>(node.kind)];
    if (graph.is_message(node)) {
      ++m.messages;
      m.message_bytes += node.bytes;
    }
    Work before;
    for (int h = 0; h < node.side_count; ++h) {
      for (const Dependence& b : graph.sides[node.first_side + h].predecessors) {
        const NodeId from = graph.sides[b.side].node;
        ++m.edges;
        depth[n] = std::max(depth[n], depth[from]);
        if (heaviest[from].weight() > before.weight()) before = heaviest[from];
        if (!b.is_flow) continue;
        ++m.data_edges;
        data_depth[n] = std::max(data_depth[n], data_depth[from]);
      }
    }
    m.depth = std::max(m.depth, ++depth[n]);
    m.data_depth = std::max(m.data_depth, ++data_depth[n]);
    heaviest[n] = {before.nodes + 1, before.bytes + node.bytes, before.flops + node.flops};
    m.all = {m.all.nodes + 1, m.all.bytes + node.bytes, m.all.flops + node.flops};
    if (heaviest[n].weight() > m.critical.weight()) m.critical = heaviest[n];
  }
  return m;
}

}  // namespace tessera::graph
