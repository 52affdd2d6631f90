#include "cli/reports/graph_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "core/passes/at_once.h"

namespace tessera::cli {

using graph::Node;
using graph::NodeId;
using graph::TaskGraph;

std::map<std::pair<NodeId, NodeId>, bool> node_edges(const TaskGraph& graph) {
  std::map<std::pair<NodeId, NodeId>, bool> edges;
  for (const graph::SideId h : graph.sides.ids())
    for (const graph::Dependence& before : graph.sides[h].predecessors)
      edges[{graph.sides[before.side].node, graph.sides[h].node}] |= before.is_flow;
  return edges;
}

std::vector<std::string> regions(const TaskGraph& graph, const Nesting& nesting, const Node& node) {
  std::vector<std::string> names;
  for (const StmtId s : nesting.around(node.statement))
    if (const auto* trace = std::get_if<Trace>(&graph.program.body[s].op);
        trace != nullptr && !pipeline_of(*trace))
      names.push_back(graph.program.texts[trace->message]);
  std::reverse(names.begin(), names.end());
  return names;
}

int destination(const TaskGraph& graph, const Node& node) {
  return graph.topology.device(graph.owner(graph.sides[node.first_side + (node.side_count - 1)]));
}

std::string node_name(const TaskGraph& graph, NodeId n) {
  const Node& node = graph.nodes[n];
  std::string words = fmt::format("{} {}", name(node.kind), n.index);
  if (graph.is_message(node)) words += fmt::format(" to {}", destination(graph, node));
  return words;
}

}  // namespace tessera::cli
