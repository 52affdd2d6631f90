// The halves of the nodes, with what they touch; and the graph without nodes that are not wanted.
#pragma once
#include <vector>

#include "analysis/task_graph/task_graph.h"

namespace tessera::graph {

// Fills TaskGraph::halves, without edges. touches: by action.
void add_halves(TaskGraph& graph, const ActionTouches& touches);
// Leaves these nodes and their halves, with the edges that they have without the others.
void keep_nodes(TaskGraph& graph, const Table<NodeId, bool>& wanted);

}  // namespace tessera::graph
