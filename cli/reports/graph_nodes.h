// Nodes and edges of a task graph as its reports show them.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/task_graph/task_graph.h"
#include "interp/machine/nesting.h"

namespace tessera::cli {

// Returns one edge per pair of nodes, whichever of their sides it connects; true if data flows
// along it.
std::map<std::pair<graph::NodeId, graph::NodeId>, bool> node_edges(const graph::TaskGraph& graph);
// Returns the names of the trace regions around the node's first statement, outermost first.
std::vector<std::string> regions(const graph::TaskGraph& graph, const Nesting& nesting,
                                 const graph::Node& node);
// Returns the device to which the node writes.
int destination(const graph::TaskGraph& graph, const graph::Node& node);
// Returns "copy 3 to 1": kind, number and, for a message, the destination.
std::string node_name(const graph::TaskGraph& graph, graph::NodeId node);

}  // namespace tessera::cli
