// Ops and memory that determine a program's control (addresses, amounts and branches). They are
// found by following values and memory backwards.
#pragma once
#include <cstdint>
#include <vector>

#include "core/program/program.h"
#include "core/report/diag.h"

namespace tessera {

// Parts of a program that its control depends on.
struct ControlFlow {
  Table<StmtId, bool> reads;      // reads memory, and the result reaches control
  Table<BufferId, bool> buffers;  // contents reach control
};
// Returns the reads and buffers that the program's control depends on.
// choices: statements that chose from operands that are not all defined, in ascending order.
ControlFlow control_flow(const Program& program, const std::vector<StmtId>& choices = {});
// Returns the statements that a run without arithmetic skips although control depends on their
// results, in program order. control: result of control_flow().
std::vector<StmtId> left_out_control(const Program& program, const ControlFlow& control);
// Returns the error of a run without arithmetic for a statement of left_out_control().
Diag skipped_control(const Program& program, StmtId statement);
// True if a run without arithmetic may behave differently from a run with arithmetic.
bool control_needs_arithmetic(const Program& program);

}  // namespace tessera
