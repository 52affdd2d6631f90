// The points of a recorded run as threads: which point is in which.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/certificate/points/point_threads.h"

namespace tessera {

struct ThreadTree {
  // A point is a thread; parent: the one that runs its loop. Of a core none of both.
  struct Point {
    RecordedAgentId parent{};
    LoopRunId loop{};
  };
  // Threads are agents of the record that is made of them: the cores first, then the points.
  Table<RecordedAgentId, Point> points;
  Table<LoopRunId, LoopRun> loops;
  Table<RecordedAgentId, std::string> names;          // "point i=2 of dev0.core0"
  Table<EventId, RecordedAgentId> thread_of;          // of events of a core
  std::map<RecordedAgentId, RecordedAgentId> issuer;  // by copy: the thread that started it
};

// Which thread does each event of a core; copies follow who started them. `loops`: the statements
// of those whose points are threads.
ThreadTree thread_tree(const Record& record, const std::set<StmtId>& loops);

// Whether a point of such a loop begins or its last point ends.
inline bool is_forked(const RecordedEvent& event, const std::set<StmtId>& loops) {
  return (event.act == Act::point || event.act == Act::points_end) &&
         loops.contains(event.statement);
}

}  // namespace tessera
