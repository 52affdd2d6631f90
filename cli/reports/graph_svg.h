// A task graph as a picture.
#pragma once
#include <cstddef>
#include <string>

#include "analysis/task_graph/task_graph.h"
#include "core/report/expected.h"

namespace tessera::cli {

// Maximum number of nodes in a picture.
inline constexpr std::size_t most_drawn_nodes = 2000;

// Returns the graph as SVG, for light and dark pages: a column for each device, and below each node
// the nodes that depend on it. Edges with a data flow are solid; edges that only order two nodes
// are dashed. Fails with ErrorCode::unsupported for more than most_drawn_nodes nodes.
Expected<std::string> graph_svg(const graph::TaskGraph& graph);

}  // namespace tessera::cli
