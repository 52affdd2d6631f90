// Loop indices of an event. Fetches and write-backs of a pipeline have the indices of the grid
// point that they belong to.
#pragma once
#include <cstdint>

#include "core/program/loop_index.h"
#include "core/program/program.h"
#include "interp/observe/event.h"

namespace tessera {

// Replaces `values` by the values of the loops around a statement, from the registers of the core
// that runs it, by value number.
// They are cheap to store, and loop_indices() adds the names later.
void read_loops(const Program& program, StmtId statement, const std::int64_t* registers,
                LoopValues& values);
// Return the names and values of the loops around a statement, outermost first. Empty without a
// statement, or for an event without loop values.
LoopIndices loop_indices(const Program& program, StmtId statement, const LoopValues& values);
LoopIndices loop_indices(const Program& program, StmtId statement, const std::int64_t* registers);
LoopIndices loop_indices(const Program& program, const Event& event);

}  // namespace tessera
