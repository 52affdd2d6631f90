// Text of memory contents, for the debugger's `print` and for print ops.
#pragma once
#include <string>

#include "core/program/program.h"
#include "interp/memory/storage.h"

namespace tessera {

// no: the values were not computed, because the run skips arithmetic.
enum class Computed : bool { no, yes };

// Returns "slot[0, 0 .. 4] f32, 4 elements, 3 defined, from ... to ..., mean ...", followed by the
// first rows, with `?` for undefined elements; for a single element "x[3] i32 = 5". If the box is
// outside the memory or has more than max_elements, or if the memory is not live or its values are
// unknown or not computed, the text contains this reason instead.
std::string memory_text(const Program& program, BufferId buffer, Storage& storage, const Box& box,
                        Computed computed = Computed::yes);

}  // namespace tessera
