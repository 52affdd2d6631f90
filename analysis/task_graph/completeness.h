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

// Checks that the nodes have as many actions as the log, and that each pipeline that repeats a
// pattern is one node; it may be no node if it reported no write.
Expected<void> check_nodes(const Log& log, const Nodes& nodes);

// Checks that the sides of memoised pipelines cover the accesses that they reported, and the sides
// of the first pipeline of each pattern its writes to memory outside the pipeline. reported:
// Log::reported.
Expected<void> check_pipelines(
    const TaskGraph& graph, const Table<InstanceId, AccessList, GrownArray<AccessList>>& reported);

// Checks that no live node reads data of a node that is not live. Requires the edges.
Expected<void> check_live(const TaskGraph& graph, const Table<NodeId, bool>& live);

// Checks that for each result on each device the nodes write the elements that the run wrote, and
// no others. written: Log::written; its contents are consumed.
Expected<void> check_results(const TaskGraph& graph, std::map<MemoryId, BoundedBoxes>& written);

// For tests: changes the plan of each graph that is made from now on, as an error of the planner
// would, before the check of that step. A function may be null.
struct PlanningFault {
  std::function<void(const Log&, Nodes&)> nodes{};
  std::function<void(TaskGraph&)> sides{};
  std::function<void(const TaskGraph&, Table<NodeId, bool>&)> live{};
};
// Sets the fault of this process; {}: none.
void plant_planning_fault(PlanningFault fault);
// Returns the current fault.
PlanningFault planted_planning_fault();

}  // namespace tessera::graph
