// The sides of the nodes, with what they touch; and the graph without nodes that are not wanted.
#pragma once
#include <vector>

#include "analysis/task_graph/task_graph.h"

namespace tessera::graph {

// Fills TaskGraph::sides, without edges. touches: by action.
void add_sides(TaskGraph& graph, const ActionAccesses& accesses);
// Leaves these nodes and their sides, with the edges that they have without the others.
void keep_nodes(TaskGraph& graph, const Table<NodeId, bool>& wanted);

}  // namespace tessera::graph
