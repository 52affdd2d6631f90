// Decides which waits of a program are needed: removes each one and repeats the race search.
#pragma once
#include <optional>
#include <vector>

#include "analysis/certificate/races/freeze_one.h"

namespace tessera {

enum class Necessity : std::uint8_t {
  order,   // without the wait there is a race
  counts,  // no race, but the semaphore's counts would not end at 0
  none     // the semaphore can be removed, with its signals and waits
};
std::string_view name(Necessity need);

struct NeededWait {
  StmtId statement;
  Necessity need = Necessity::none;
  std::optional<Race> race;  // Necessity::order: a race that the wait prevents
};

// One entry per statement that waits, in program order. `record` must be free of races.
std::vector<NeededWait> necessity(const Record& record);

}  // namespace tessera
