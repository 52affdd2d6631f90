// Several launches of a kernel back to back, as one program.
#pragma once
#include <vector>

#include "core/lang/elaboration.h"

namespace tessera {

// The body runs several times, as that many launches one after the other would: scratch and
// semaphores are those of one launch, so that a peer which is one behind or ahead does not have
// them; operands, results and barriers remain. one_call: what a single launch is. Returns the
// semaphores that each launch begins with.
std::vector<ValueId> begin_launches(Elaboration& e, const ast::Kernel& kernel,
                                    const Program& one_call);
// After the body.
void end_launches(Elaboration& e, const std::vector<ValueId>& semaphores);

}  // namespace tessera
