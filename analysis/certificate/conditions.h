// Conditions under which one run decides all schedules, checked on the program and its record.
// docs/internals/analyses.md explains why they are sufficient.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/certificate/races/freeze_one.h"
#include "interp/machine/control_flow.h"

namespace tessera {

enum class Condition : std::uint8_t {
  one_waiter,  // C1: all waits on a semaphore that is decremented are by one agent
  waits_only,  // C2: no count is read without waiting for it
  // C3: addresses, amounts and branches depend only on control inputs and on data without races
  known_control,
  range,  // no count leaves its range in any schedule
  points  // iterations of parallel loops that synchronise with others are analysed
};
std::string_view name(Condition condition);  // "C1", "C2", "C3", "range", "points"

struct BrokenCondition {
  Condition condition;
  StmtId statement;  // none: a loop (Condition::points)
  Loc loc{};
  std::string message;  // the violation and the requirement
};
// Returns the violations of all conditions except Condition::points, in program order. For C3:
// unordered sums and unknown or skipped values. Races on data that reaches control are findings.
// control: control_flow() of the program. analysis: the races of `record`.
std::vector<BrokenCondition> broken_conditions(const Record& record, const ControlFlow& control,
                                               const RaceAnalysis& analysis);

}  // namespace tessera
