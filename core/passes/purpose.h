// For whom the statements of a program are. Debug statements look at a run; what they alone need is
// computed beside it, without steps and accesses, so that a program does the same with and without
// them.
#pragma once
#include <cstdint>

#include "core/program/program.h"

namespace tessera {

// work: what the program does. assertion: an `assert`, and what it alone needs. show: a `print` or
// a `breakpoint`, and what these alone need.
enum class Purpose : std::uint8_t { work, assertion, show };

// An `if` or a loop around nothing but debug statements is for these too.
Table<StmtId, Purpose> purposes(const Program& program);
bool has_debug_statements(const Program& program);

// The program without the statements of that purpose and those behind it in the list.
Program without(Program program, Purpose from);

}  // namespace tessera
