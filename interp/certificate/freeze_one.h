// Races of all schedules, decided from the record of one run. Two accesses race when each can come
// while the other one's agent is held back before it; in a run that has x first this is so when y
// is reached while the agent of x stays where it is.
#pragma once
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "interp/certificate/conflicts.h"
#include "interp/certificate/net.h"

namespace tessera {

// Pairs of accesses that are in no order: those of two statements to one buffer.
struct Race {
  std::int32_t x = -1, y = -1;  // events: one of the pairs, x first in the run
  std::int64_t pairs = 0;
  bool is_order = false;  // both accumulate: no race, but the sum's order is open
  // A few more of the pairs, for a run that shows what the first does not.
  std::vector<std::pair<std::int32_t, std::int32_t>> others{};
};

struct RaceAnalysis {
  std::vector<Race> races;  // in the order of the program text
  std::int64_t forks = 0;   // how often an agent was held back
  std::int64_t moved = 0;   // events done by others meanwhile
  bool is_swept = false;    // a sweep of each core named the accesses to hold back
};

// All find the same; the first is plain, the others are fast.
enum class Reach : std::uint8_t {
  full,      // the others run until nobody can move
  needed,    // only who can reach a conflicting access runs
  swept,     // the same, before those accesses alone that a sweep suspects
  adaptive,  // needed; swept once that took as long as the sweep would
};
RaceAnalysis freeze_one(const Record& record, Reach reach = Reach::adaptive);

// Collects pairs of accesses in no order into one Race for each pair of statements and kinds.
class RaceList {
 public:
  explicit RaceList(const Record& record) : record_(record) {}
  // Does nothing unless the two clash and have different agents; integers that are added are the
  // same sum in every order. x first in the run.
  void add(std::int32_t x, std::int32_t y);
  std::vector<Race> take();

 private:
  struct Key {
    std::int32_t first, second;  // statements
    std::int32_t object;         // buffer, or -1 - semaphore
    AccessKind first_kind, second_kind;
    auto operator<=>(const Key&) const = default;
  };
  using Names = std::array<std::array<std::int64_t, 4>, 2>;
  Key key(const RecordedEvent& x, const RecordedEvent& y) const;
  bool adds_integers(const RecordedEvent& event) const;
  Names names(std::int32_t x, std::int32_t y) const;
  void keep(Race& race, std::int32_t x, std::int32_t y) const;

  const Record& record_;
  std::vector<std::pair<Key, Race>> found_;
};

}  // namespace tessera
