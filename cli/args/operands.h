// The operands of a problem, made from its seed where no file gives them.
#pragma once
#include "cli/args/operand_values.h"
#include "cli/args/problem.h"
#include "core/data/tensor.h"

namespace tessera::cli {

struct Operands {
  Tensor lhs, rhs, group_sizes;
  Tensor existing;         // rank 0 without an existing result
  OperandValues values;    // how they were made
};

// Fills what `files` does not hold; lazily: once somebody reads it.
Operands generate(const Problem& problem, Operands files = {}, bool lazily = false);

}  // namespace tessera::cli
