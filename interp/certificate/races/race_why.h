// Why nothing orders the two accesses of a race: which edge is missing, and which waits that could
// have been it are not.
#pragma once
#include <vector>

#include "core/report/finding.h"
#include "interp/certificate/races/freeze_one.h"
#include "interp/certificate/races/race_words.h"
#include "interp/certificate/races/signal_table.h"

namespace tessera {

struct RaceWhy {
  std::vector<FindingPlace> notes;
  StmtId last_wait;  // of one core for the other; none on one core
};
RaceWhy race_why(const Record& record, const SignalTable& signals, const Race& race);

}  // namespace tessera
