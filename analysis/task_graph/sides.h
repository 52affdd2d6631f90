// Creates the sides of nodes, and removes nodes from a graph.
#pragma once
#include <vector>

#include "analysis/task_graph/task_graph.h"

namespace tessera::graph {

// Fills TaskGraph::sides, without edges.
void add_sides(TaskGraph& graph, const ActionAccesses& accesses);
// Removes all other nodes with their sides; paths through them become edges.
void keep_nodes(TaskGraph& graph, const Table<NodeId, bool>& wanted);

}  // namespace tessera::graph
