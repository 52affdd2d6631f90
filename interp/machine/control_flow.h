// What of a program decides what it does: addresses, amounts and branches, followed backwards
// through values and memory.
#pragma once
#include <cstdint>
#include <vector>

#include "core/program/program.h"

namespace tessera {

// What of a program its control depends on.
struct ControlFlow {
  Table<StmtId, bool> reads;      // it reads memory, and the result reaches control
  Table<BufferId, bool> buffers;  // whose contents reach control
};
// choices: the statements that met undefined elements among those they choose from.
ControlFlow control_flow(const Program& program, const std::vector<StmtId>& choices = {});
// The statements that a run without arithmetic leaves out although control depends on what they
// compute; in the order of the program.
std::vector<StmtId> left_out_control(const Program& program, const ControlFlow& control);
// Whether a run without arithmetic may do other things than one with it.
bool control_needs_arithmetic(const Program& program);

}  // namespace tessera
