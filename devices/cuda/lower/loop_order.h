// Which loops of a contraction's grid a kernel walks as rows and columns of tiles.
#pragma once
#include "core/program/program.h"
#include "core/report/expected.h"
#include "devices/cuda/lower/contraction.h"

namespace tessera::cuda {

// Null where the grid has no such loop. They point into the contraction.
struct LoopOrder {
  const GridLoop* rows = nullptr;     // the last that the left operand moves with
  const GridLoop* columns = nullptr;  // the last that the right operand alone moves with
  const GridLoop* outer = nullptr;    // the one beside them
};

// ErrorCode::unsupported for a grid with more loops, and for bounds that depend on other loops.
Expected<LoopOrder> loop_order(const Program& program, const Contraction& contraction);

// The value is computed from `index`.
bool depends(const Program& program, ValueId value, ValueId index);

// The statement that computes the value; null where none does.
const Stmt* definition(const Program& program, ValueId value);

}  // namespace tessera::cuda
