// A task graph as a text report, as JSON and as input of Graphviz.
#pragma once
#include <string>

#include "analysis/task_graph/task_graph.h"
#include "cli/command.h"

namespace tessera::cli {

std::string graph_lines(const Prepared& prepared, const graph::TaskGraph& graph);
Json graph_json(const Prepared& prepared, const graph::TaskGraph& graph);
// Returns the graph as input of Graphviz. Edges with a data flow are solid; edges that only order
// two nodes are dashed.
std::string graph_dot(const graph::TaskGraph& graph);

}  // namespace tessera::cli
