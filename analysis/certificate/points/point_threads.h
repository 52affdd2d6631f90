// Iterations of a parallel loop as agents, forked where the loop begins and joined where it ends.
// For loops in which iterations signal or wait for others, so that their order matters.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "analysis/certificate/points/points.h"
#include "analysis/certificate/record/record.h"

namespace tessera {

using LoopRunId = Id<struct LoopRun>;  // into PointThreads::loops

// Execution of a loop by one core.
struct LoopRun {
  StmtId statement;
  RecordedAgentId parent{};  // the thread that runs the loop
  std::vector<RecordedAgentId> threads;
};

// Record whose first agents are the cores of the run, followed by the iterations. Each iteration
// has its own copy of the scratch and semaphores that are private to it, with a separate owner or
// separate cells.
struct PointThreads {
  Record record;
  Table<RecordedAgentId, std::string> names;  // "point i=2 of dev0.core0"; empty: a core
  Table<LoopRunId, LoopRun> loops;
};

// Returns the record with the iterations of the loops as agents. The program must outlive it.
// record: must contain the starts of iterations (keeps_points of Recorder), and the copies of an
// iteration must be complete before the next one begins. loops: statements of the loops to fork;
// other loops stay unchanged.
PointThreads as_threads(const Record& record, const std::set<StmtId>& loops);

// Defect that one order of the iterations does not show: unordered accesses, a count for which two
// iterations wait, or an iteration that needs another one before it.
struct PointFinding {
  Finding finding;
  StmtId loop;  // its statement
};
// Returns the defects, at most 20 of them: races, then shared waits, then needed iterations. Leaves
// out races that `in_sequence`, the record from which the threads were created, has as well, except
// races between iterations of one loop. Throws Interrupted if current_stop() is set.
std::vector<PointFinding> point_findings(const PointThreads& threads, const Record& in_sequence);

}  // namespace tessera
