// From what the cores did to the nodes of a graph: the segments that can run as if alone.
#pragma once
#include "analysis/task_graph/recorder.h"
#include "analysis/task_graph/task_graph.h"

namespace tessera::graph {

// In commit order; their lists are in the log's arena. A pipeline that synchronises with others in
// a wrong order, waiting after a signal, is cut where it does; its copies are nodes then.
Nodes segments(Log& log);

}  // namespace tessera::graph
