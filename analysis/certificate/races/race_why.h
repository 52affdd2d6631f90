// Explains why the accesses of a race are unordered: the missing edge, and the waits that could
// have been this edge.
#pragma once
#include <vector>

#include "analysis/certificate/races/freeze_one.h"
#include "analysis/certificate/races/race_words.h"
#include "analysis/certificate/races/signal_table.h"
#include "core/report/finding.h"

namespace tessera {

struct RaceWhy {
  std::vector<FindingPlace> notes;
  StmtId last_wait;  // wait of one core for the other; none if both are the same core
};
RaceWhy race_why(const Record& record, const SignalTable& signals, const Race& race);

}  // namespace tessera
