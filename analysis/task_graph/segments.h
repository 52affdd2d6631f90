// Splits a recorded run into the nodes of a graph, which are segments that can run atomically.
#pragma once
#include "analysis/task_graph/recorder.h"
#include "analysis/task_graph/task_graph.h"

namespace tessera::graph {

// Returns the nodes of a recorded run in commit order, with lists in the log's arena. A pipeline
// that waits for other agents after a signal to them is split there, and its copies become separate
// nodes.
Nodes segments(Log& log);

}  // namespace tessera::graph
