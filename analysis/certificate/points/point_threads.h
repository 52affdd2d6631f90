// The points of a parallel loop as agents of their own, forked where the loop begins and joined
// where it ends: for loops whose points signal others or wait for them, where it matters who comes
// when.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "analysis/certificate/points/points.h"
#include "analysis/certificate/record/record.h"

namespace tessera {

using LoopRunId = Id<struct LoopRun>;  // into PointThreads::loops

// One run of a loop by one core.
struct LoopRun {
  StmtId statement;
  RecordedAgentId parent{};  // the thread that runs the loop
  std::vector<RecordedAgentId> threads;
};

// A record whose first agents are the cores of the run, then the points; each has a copy of the
// scratch and semaphores that are its own, under an owner or cells of its own.
struct PointThreads {
  Record record;
  Table<RecordedAgentId, std::string> names;  // "point i=2 of dev0.core0"; of a core empty
  Table<LoopRunId, LoopRun> loops;
};

// Of a record that keeps the beginnings of points, made from a run in which a copy is complete
// before the next point begins. `loops`: the statements of those to fork; others stay as they are.
PointThreads as_threads(const Record& record, const std::set<StmtId>& loops);

// What holds in one order of the points alone: accesses in no order, counts that two points wait
// for, and points that need another one to come first.
struct PointFinding {
  Finding finding;
  StmtId loop;  // its statement
};
// Races that `in_sequence`, the record that the threads were made from, has as well are none of the
// points'.
std::vector<PointFinding> point_findings(const PointThreads& threads, const Record& in_sequence);

}  // namespace tessera
