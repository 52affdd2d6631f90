// Assignment of the grid loops of a contraction to rows and columns of tiles.
#pragma once
#include "core/program/program.h"
#include "core/report/expected.h"
#include "devices/cuda/lower/contraction.h"

namespace tessera::cuda {

// Null if the grid has no such loop. The pointers refer to the contraction, which must outlive this
// object.
struct LoopOrder {
  const GridLoop* rows = nullptr;     // last loop that moves the left operand
  const GridLoop* columns = nullptr;  // last loop that moves only the right operand
  const GridLoop* outer = nullptr;    // the other loop
};

// Assigns the parallel loops of the contraction. Fails with ErrorCode::unsupported for a grid with
// more loops, or with bounds that depend on other loops.
Expected<LoopOrder> loop_order(const Program& program, const Contraction& contraction);

// True if the value is `index` or is computed from it.
bool depends(const Program& program, ValueId value, ValueId index);

// Returns the statement that computes the value; null if there is none.
const Stmt* definition(const Program& program, ValueId value);

}  // namespace tessera::cuda
