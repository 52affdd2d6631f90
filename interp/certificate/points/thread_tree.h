// The points of a recorded run as threads: which point is in which.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "interp/certificate/points/point_threads.h"

namespace tessera {

struct ThreadTree {
  static constexpr std::int32_t none = -1;
  // A point is a thread; parent: the one that runs its loop; loop: into `loops`.
  struct Point {
    std::int32_t thread = -1, parent = none, loop = none;
  };
  std::vector<Point> points;  // by thread; the cores first
  std::vector<PointThreads::Loop> loops;
  std::vector<std::string> names;               // by thread: "point i=2 of dev0.core0"
  std::vector<std::int32_t> thread_of;          // by event of a core
  std::map<std::int32_t, std::int32_t> issuer;  // by copy: the thread that started it
};

// Which thread does each event of a core; copies follow who started them. `loops`: the statements
// of those whose points are threads.
ThreadTree thread_tree(const Record& record, const std::set<std::int32_t>& loops);

// Whether a point of such a loop begins or its last point ends.
inline bool is_forked(const RecordedEvent& event, const std::set<std::int32_t>& loops) {
  return (event.act == Act::point || event.act == Act::points_end) &&
         loops.contains(event.statement);
}

}  // namespace tessera
