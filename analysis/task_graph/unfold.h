// Converts a folded graph into one in which each node has its own actions.
#pragma once
#include <functional>

#include "analysis/task_graph/task_graph.h"

namespace tessera::graph {

// Gives each pipeline its own actions and memory, as if each had been run. wants: true for cores
// with actions that the caller needs; empty: all. Pipelines of other cores get actions that contain
// only the statement, the core and `is_copy`. Has no effect on a graph that is not folded. If there
// are too many actions on all cores together, fails with too_many_actions() and leaves the graph
// unchanged.
Expected<void> unfold(TaskGraph& graph, const std::function<bool(CoreIndex)>& wants = {});

}  // namespace tessera::graph
