// What memory holds, for people: the debugger's `print` and that of programs.
#pragma once
#include <string>

#include "core/program/program.h"
#include "interp/memory/storage.h"

namespace tessera {

// Whether its values are there: a run without arithmetic computes none, but for those of numbers.
enum class Computed : bool { no, yes };

// "slot[0, 0 .. 4] f32, 4 elements, 3 defined, from ... to ..., mean ...", and below it the first
// rows, `?` where an element is undefined; of a single element "x[3] i32 = 5". The box may leave
// the memory, which then is told.
std::string memory_text(const Program& program, BufferId buffer, Storage& storage, const Box& box,
                        Computed computed = Computed::yes);

}  // namespace tessera
