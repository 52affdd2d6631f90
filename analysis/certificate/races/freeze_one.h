// Decides the races of all schedules from the record of one run. Two accesses race if each can run
// while the agent of the other is blocked before its access. If x is first in the run, this holds
// if y can be reached while the agent of x is blocked before x.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/certificate/races/conflicts.h"
#include "analysis/certificate/races/race_list.h"

namespace tessera {

struct RaceAnalysis {
  std::vector<Race> races;    // in the order of the program text; the first of each object
  MorePairs more;             // further pairs of unordered accesses, of other statements
  bool is_truncated = false;  // max_races were found, so the search ended early
  Table<StmtId, bool> in_race, in_race_or_leaving;  // see RaceList
  std::int64_t forks = 0;                           // number of times that an agent was blocked
  std::int64_t events_replayed = 0;                 // events of other agents during the forks
  bool is_swept = false;                            // a sweep selected the accesses to block
};

// All modes find the same races; the first is simple, the others are fast.
enum class SearchMode : std::uint8_t {
  exhaustive,  // all other agents run until all are blocked
  targeted,    // only agents run that can reach a conflicting access
  swept,       // the same, but only before accesses that a sweep suspects
  adaptive,    // targeted; swept once that has cost as much as a sweep
};
// Returns the races of all schedules of the recorded run. max_races: maximum number of listed races
// per object. A long search ends early once this many are listed, except for unordered sums.
// Throws Interrupted if current_stop() is set.
RaceAnalysis freeze_one(const Record& record, SearchMode mode = SearchMode::adaptive,
                        std::size_t max_races = 100);

}  // namespace tessera
