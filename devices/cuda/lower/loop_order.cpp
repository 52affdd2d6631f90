#include "devices/cuda/lower/loop_order.h"

#include <algorithm>

#include "devices/cuda/lower/pipeline_place.h"
#include "devices/cuda/lower/scalar_code.h"

namespace tessera::cuda {

const Stmt* definition(const Program& program, ValueId value) {
  const StmtId at = program.value(value).statement;
  return !at ? nullptr : &program.body[at];
}

bool depends(const Program& program, ValueId value, ValueId index) {
  if (value == index) return true;
  if (value == no_value || program.value(value).constant ||
      program.value(value).kind == ValueKind::ref)
    return false;
  const Stmt* s = definition(program, value);
  if (!s || std::holds_alternative<Grid>(s->op)) return false;
  const std::vector<ValueId> operands = operands_of(s->op);
  return std::any_of(operands.begin(), operands.end(),
                     [&](ValueId v) { return depends(program, v, index); });
}

Expected<LoopOrder> loop_order(const Program& program, const Contraction& contraction) {
  const auto unsupported = [&](const char* reason) {
    return unsupported_at(program, contraction.open, reason);
  };
  const auto moves_with = [&](const ProductOperand& operand, ValueId index) {
    const Slice& source = operand.window.op->source;
    return std::any_of(source.start.begin(), source.start.begin() + source.rank,
                       [&](ValueId v) { return depends(program, v, index); });
  };
  LoopOrder order;
  for (const GridLoop& loop : contraction.loops) {
    for (const GridLoop& other : contraction.loops) {
      if (depends(program, loop.upper, other.index))
        return unsupported("a parallel grid dimension whose bound depends on another one");
    }
    if (moves_with(contraction.left, loop.index))
      order.rows = &loop;
    else if (moves_with(contraction.right, loop.index))
      order.columns = &loop;
  }
  for (const GridLoop& loop : contraction.loops) {
    if (&loop == order.rows || &loop == order.columns) continue;
    if (order.outer != nullptr)
      return unsupported(
          "more than one parallel grid dimension in addition to the rows and the columns");
    order.outer = &loop;
  }
  return order;
}

}  // namespace tessera::cuda
