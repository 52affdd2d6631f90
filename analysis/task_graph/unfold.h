// From a folded graph to one that a reader of actions can take.
#pragma once
#include <functional>

#include "analysis/task_graph/task_graph.h"

namespace tessera::graph {

// Each pipeline has actions and memory of its own again: the graph is what it would be if each had
// been run. wants: whether those of a core are asked for; of other cores' pipelines the actions are
// there, and say nothing but their statement and their core. An error, and nothing changes, where
// there would be more actions than a graph may have.
Expected<void> unfold(TaskGraph& graph, const std::function<bool(CoreIndex)>& wants = {});

}  // namespace tessera::graph
