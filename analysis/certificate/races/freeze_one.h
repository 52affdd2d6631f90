// Races of all schedules, decided from the record of one run. Two accesses race when each can come
// while the other one's agent is held back before it; in a run that has x first this is so when y
// is reached while the agent of x stays where it is.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/certificate/races/conflicts.h"
#include "analysis/certificate/races/race_list.h"

namespace tessera {

struct RaceAnalysis {
  std::vector<Race> races;    // in the order of the program text; of each object the first only
  MorePairs more;             // of accesses in no order, of other statements
  bool is_truncated = false;  // as many races as asked for were found, and others not looked for
  Table<StmtId, bool> in_race, in_race_or_leaving;  // see RaceList
  std::int64_t forks = 0;                           // how often an agent was held back
  std::int64_t events_replayed = 0;                 // events done by others meanwhile
  bool is_swept = false;  // a sweep of each core named the accesses to hold back
};

// All find the same; the first is plain, the others are fast.
enum class SearchMode : std::uint8_t {
  exhaustive,  // the others run until nobody can move
  targeted,    // only who can reach a conflicting access runs
  swept,       // the same, before those accesses alone that a sweep suspects
  adaptive,    // needed; swept once that took as long as the sweep would
};
// most: races of each object that are listed.
RaceAnalysis freeze_one(const Record& record, SearchMode mode = SearchMode::adaptive,
                        std::size_t most = 100);

}  // namespace tessera
