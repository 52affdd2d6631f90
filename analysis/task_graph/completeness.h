// Checks that a task graph does all that the recorded run did. Each step of planning that skips or
// reuses work is followed by one of them. A failure is an error of the planner: the program gets no
// graph (ErrorCode::runtime).
#pragma once
#include <functional>
#include <map>

#include "analysis/task_graph/recorder.h"
#include "analysis/task_graph/task_graph.h"
#include "core/report/expected.h"

namespace tessera::graph {

// Each action is in one node, and each pipeline that repeats a pattern is one node; it has none
// only if it reported no write.
Expected<void> check_nodes(const Log& log, const Nodes& nodes);

// The sides of memoised pipelines, and of the first pipeline of each pattern, cover the accesses
// to memory outside the pipeline. reported: by instance.
Expected<void> check_pipelines(
    const TaskGraph& graph, const Table<InstanceId, AccessList, GrownArray<AccessList>>& reported);

// No live node reads data of a node that is not live.
Expected<void> check_live(const TaskGraph& graph, const Table<NodeId, bool>& live);

// For each result on each device the nodes write the elements that the run wrote, and no others.
// written: by result; is cleared.
Expected<void> check_results(const TaskGraph& graph, std::map<MemoryId, BoundedBoxes>& written);

// For tests: changes the plan of each graph that is made from now on, as an error of the planner
// would, before the check of that step. A function may be null.
struct PlanningFault {
  std::function<void(const Log&, Nodes&)> nodes{};
  std::function<void(TaskGraph&)> sides{};
  std::function<void(const TaskGraph&, Table<NodeId, bool>&)> live{};
};
void plant_planning_fault(PlanningFault fault);
PlanningFault planted_planning_fault();

}  // namespace tessera::graph
