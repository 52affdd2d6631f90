// The conditions under which one run decides for all schedules, checked on program and record.
//   C1  all waits on a semaphore that is decremented are one agent's
//   C2  nobody reads a count without waiting for it
//   C3  addresses, amounts and branches depend on control inputs and on data that is in no race
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interp/certificate/races/freeze_one.h"

namespace tessera {

// What of a program its control depends on.
struct ControlFlow {
  std::vector<bool> reads;    // by statement: it reads memory, and the result reaches control
  std::vector<bool> buffers;  // by buffer: its contents reach control
};
// choices: the statements that met undefined elements among those they choose from.
ControlFlow control_flow(const Program& program, const std::vector<std::int32_t>& choices = {});
// Whether a run without arithmetic may do other things than one with it.
bool control_needs_arithmetic(const Program& program);

struct BrokenCondition {
  std::string_view condition;  // "C1", "C2", "C3"
  std::int32_t statement = -1;
  Loc loc{};            // of the statement
  std::string message;  // what the line does, and what it would have to do
};
// In the order of the program.
std::vector<BrokenCondition> broken_conditions(const Record& record, const ControlFlow& control,
                                               const RaceAnalysis& analysis);

}  // namespace tessera
