// Where in its loops an event stands. For what a pipeline does behind or ahead of its loops it is
// where the point stands that it is done for.
#pragma once
#include <cstdint>

#include "core/program/loop_index.h"
#include "core/program/program.h"
#include "interp/observe/event.h"

namespace tessera {

// The values of the loops around a statement (the statement's own core has these registers); they
// say little by themselves, and are cheap to keep.
void read_loops(const Program& program, StmtId statement, const std::int64_t* registers,
                LoopValues& values);
LoopIndices loop_indices(const Program& program, StmtId statement, const LoopValues& values);
LoopIndices loop_indices(const Program& program, StmtId statement, const std::int64_t* registers);
LoopIndices loop_indices(const Program& program, const Event& event);

}  // namespace tessera
