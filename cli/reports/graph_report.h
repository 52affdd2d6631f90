// A task graph as a report, as JSON, and as the text that Graphviz draws.
#pragma once
#include <string>

#include "analysis/task_graph/task_graph.h"
#include "cli/command.h"

namespace tessera::cli {

std::string graph_lines(const Prepared& prepared, const graph::TaskGraph& graph);
Json graph_json(const Prepared& prepared, const graph::TaskGraph& graph);
// Edges along which data flows are drawn solid, those that only order two nodes dashed.
std::string graph_dot(const graph::TaskGraph& graph);

}  // namespace tessera::cli
