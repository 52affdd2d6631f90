// Iterations of a recorded run as threads, and the thread of each event.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/certificate/points/point_threads.h"

namespace tessera {

struct ThreadTree {
  // An iteration is a thread. parent: the thread that runs its loop. Both are none for a core.
  struct Point {
    RecordedAgentId parent{};
    LoopRunId loop{};
  };
  // Threads are agents of the record created from the tree: first the cores, then the iterations.
  Table<RecordedAgentId, Point> points;
  Table<LoopRunId, LoopRun> loops;
  Table<RecordedAgentId, std::string> names;          // "point i=2 of dev0.core0"; empty: a core
  Table<EventId, RecordedAgentId> thread_of;          // only for events of cores
  std::map<RecordedAgentId, RecordedAgentId> issuer;  // by copy: the thread that started it
};

// Determines the thread of each event of a core. Copies belong to the thread that started them.
// loops: statements of the loops with iterations as threads.
ThreadTree thread_tree(const Record& record, const std::set<StmtId>& loops);

// True if an iteration of such a loop begins or its last iteration ends.
inline bool is_forked(const RecordedEvent& event, const std::set<StmtId>& loops) {
  return (event.act == Act::point || event.act == Act::points_end) &&
         loops.contains(event.statement);
}

}  // namespace tessera
