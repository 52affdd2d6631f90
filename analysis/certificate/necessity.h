// Which waits of a program are needed: each is left out and the rest proved again.
#pragma once
#include <optional>
#include <vector>

#include "analysis/certificate/races/freeze_one.h"

namespace tessera {

enum class Necessity : std::uint8_t {
  order,   // without the wait something races
  counts,  // nothing races, but the semaphore's counts would not come out even
  none     // the semaphore can go, with its signals and waits
};
std::string_view name(Necessity need);

struct NeededWait {
  StmtId statement;
  Necessity need = Necessity::none;
  std::optional<Race> race;  // need order: one that the wait prevents
};

// One entry for each statement that waits, in the order of the program. `record` has no races.
std::vector<NeededWait> necessity(const Record& record);

}  // namespace tessera
