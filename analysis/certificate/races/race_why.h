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
// Returns notes on why the accesses of a race (not of an unordered sum) have no order: the last
// wait between the cores, which does not order them, later waits, and missing credits or shared
// semaphores.
// signals: table of `record`.
RaceWhy race_why(const Record& record, const SignalTable& signals, const Race& race);

}  // namespace tessera
