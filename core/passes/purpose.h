// Purpose of each statement. Debug statements observe a run. Computations that only serve debug
// statements take no steps and make no accesses, so a program behaves the same with and without its
// debug statements.
#pragma once
#include <cstdint>

#include "core/program/program.h"

namespace tessera {

// work: the program itself. assertion: an `assert` and the computations that only serve asserts.
// show: a `print` or `breakpoint` and the computations that only serve these.
enum class Purpose : std::uint8_t { work, assertion, show };

// Returns the purpose of each statement. An `if` or sequential `for` that contains only debug
// statements and computations has their purpose: assertion if there are asserts, else show.
Table<StmtId, Purpose> purposes(const Program& program);
bool has_debug_statements(const Program& program);

// Returns the program without the statements of purpose `from` and of the purposes after it in
// Purpose; unchanged if it has no debug statements. Statements are renumbered, values are not.
Program without(Program program, Purpose from);

}  // namespace tessera
