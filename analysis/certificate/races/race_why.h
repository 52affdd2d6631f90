// Why nothing orders the two accesses of a race: which edge is missing, and which waits that could
// have been it are not.
#pragma once
#include <vector>

#include "analysis/certificate/races/freeze_one.h"
#include "analysis/certificate/races/race_words.h"
#include "analysis/certificate/races/signal_table.h"
#include "core/report/finding.h"

namespace tessera {

struct RaceWhy {
  std::vector<FindingPlace> notes;
  StmtId last_wait;  // of one core for the other; none on one core
};
RaceWhy race_why(const Record& record, const SignalTable& signals, const Race& race);

}  // namespace tessera
