// Finds for each action of a run the same action of the program's task graph.
#pragma once
#include <cstddef>
#include <map>
#include <vector>

#include "analysis/task_graph/recorder.h"
#include "analysis/task_graph/task_graph.h"

namespace tessera::graph {

// Matches each core's actions in their order. Cores may take turns in another order than in the
// run that the graph was made of, so the numbers of actions and memories may differ.
class RunMatch {
 public:
  explicit RunMatch(const TaskGraph& graph);

  // The graph's action for an action of the log; none if the core has fewer in the graph or another
  // statement there. The log may grow between calls.
  ActionId action(const Log& log, ActionId action);
  // The graph's memory for the memory of a buffer; none if the graph has none.
  MemoryId memory(const Memory& memory) const;
  // Whether the run that is now over had all actions and memories of the graph, and no others.
  bool is_whole(const Log& log);

 private:
  void extend(const Log& log, std::size_t count);

  const TaskGraph& graph_;
  Table<CoreIndex, std::vector<ActionId>> by_core_;
  Table<CoreIndex, std::size_t> next_;   // first action of the core that is not matched yet
  Table<ActionId, ActionId> matched_;    // by action of the log
  std::map<Memory, MemoryId> memories_;  // those with a buffer
  bool differs_ = false;                 // a core has an action of another statement, or too many
};

}  // namespace tessera::graph
