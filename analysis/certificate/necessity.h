// Decides which waits of a program are needed: removes each one and repeats the race search.
#pragma once
#include <optional>
#include <vector>

#include "analysis/certificate/races/freeze_one.h"

namespace tessera {

enum class Necessity : std::uint8_t {
  order,   // without the wait there is a race
  counts,  // no race, but without the wait the counts of a needed semaphore do not end at 0
  none     // the semaphore can be removed, with its signals and waits
};
std::string_view name(Necessity need);

struct NeededWait {
  StmtId statement;
  Necessity need = Necessity::none;
  std::optional<Race> race;  // Necessity::order: a race that the wait prevents
};

// Returns an entry for each statement that waits, in program order. Repeats the race search without
// its waits, and if there is no race, without its semaphores. `record` must be free of races.
// Throws Interrupted if current_stop() is set.
std::vector<NeededWait> necessity(const Record& record);

}  // namespace tessera
