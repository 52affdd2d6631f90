// Maps the actions of a run to the actions of the program's task graph.
#pragma once
#include <cstddef>
#include <map>
#include <vector>

#include "analysis/task_graph/recorder.h"
#include "analysis/task_graph/task_graph.h"

namespace tessera::graph {

// Matches each core's actions in order. The cores may take turns in another order than in the
// planned run, so the ids of actions and memories may differ.
class RunMatch {
 public:
  // The graph must outlive this object.
  explicit RunMatch(const TaskGraph& graph);

  // Returns the graph's action for an action of the log. None if `action` is none, or if the core
  // has fewer actions in the graph or another statement at this position. All calls must have the
  // same log, which may grow between them.
  ActionId action(const Log& log, ActionId action);
  // Returns the graph's memory for the memory of a buffer, or none.
  MemoryId memory(const Memory& memory) const;
  // True if the completed run had all actions and memories of the graph, and no others.
  bool is_whole(const Log& log);

 private:
  // Matches the first `count` actions of the log.
  void extend(const Log& log, std::size_t count);

  const TaskGraph& graph_;
  Table<CoreIndex, std::vector<ActionId>> by_core_;
  Table<CoreIndex, std::size_t> next_;   // first action of the core that is not matched yet
  Table<ActionId, ActionId> matched_;    // by action of the log
  std::map<Memory, MemoryId> memories_;  // those with a buffer
  bool differs_ = false;                 // a core has an action of another statement, or too many
};

}  // namespace tessera::graph
