// Creates the sides of nodes, and removes nodes from a graph.
#pragma once
#include <vector>

#include "analysis/task_graph/task_graph.h"

namespace tessera::graph {

// Replaces the sides of all nodes by sides without edges. accesses: by action.
void add_sides(TaskGraph& graph, const ActionAccesses& accesses);
// Removes the nodes that are not `wanted` (by node), with their sides; paths through them become
// edges. The remaining nodes and sides get new ids. Requires the edges (EdgeBuilder).
void keep_nodes(TaskGraph& graph, const Table<NodeId, bool>& wanted);

}  // namespace tessera::graph
