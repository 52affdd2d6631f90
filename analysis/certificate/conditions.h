// The conditions under which one run decides for all schedules, checked on program and record.
// docs/certificate.md says why they suffice.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/certificate/races/freeze_one.h"
#include "interp/machine/control_flow.h"

namespace tessera {

enum class Condition : std::uint8_t {
  one_waiter,     // C1: all waits on a semaphore that is decremented are one agent's
  waits_only,     // C2: no count is read without waiting for it
  known_control,  // C3: addresses, amounts and branches depend on control inputs and on data that
                  // is in no race
  range,          // no count leaves its range in any schedule
  points          // points of parallel loops that synchronise with others are analysed
};
std::string_view name(Condition condition);  // "C1", "C2", "C3", "range", "points"

struct BrokenCondition {
  Condition condition;
  StmtId statement;
  Loc loc{};            // of the statement
  std::string message;  // what the line does, and what it would have to do
};
// In the order of the program.
std::vector<BrokenCondition> broken_conditions(const Record& record, const ControlFlow& control,
                                               const RaceAnalysis& analysis);

}  // namespace tessera
