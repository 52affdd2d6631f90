// Several consecutive launches of a kernel, as one program.
#pragma once
#include <vector>

#include "core/lang/elaboration.h"

namespace tessera {

// Begins a loop over the launches, with a barrier at its start if `one_call` needs one. Each launch
// has its own scratch and semaphores, so they are not shared with a peer that is in an earlier or
// later launch; with keeps_scratch, scratch is shared by all launches. Operands, results and
// barriers are shared. Returns the semaphores that are allocated at the start of each launch.
// Call it after the declarations are lowered, before the body. one_call: the program of a single
// launch.
std::vector<ValueId> begin_launches(Elaboration& e, const ast::Kernel& kernel,
                                    const Program& one_call);
// Ends the loop; call it after the body is lowered. Frees all allocations. semaphores: the result
// of begin_launches().
void end_launches(Elaboration& e, const std::vector<ValueId>& semaphores);

}  // namespace tessera
