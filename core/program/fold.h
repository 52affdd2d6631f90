// Folding of scalar ops with known operands.
#pragma once
#include <cstdint>

#include "core/program/program.h"

namespace tessera {

// Result of folding: a constant; or the id of an operand that equals the result, for example with
// x + 0, x * 1 or a select with constant condition; or neither, if an operand is not constant or
// the op is not arithmetic.
struct Folded {
  bool is_constant = false;
  std::int64_t constant = 0;
  ValueId same_as = no_value;
};
// Returns the result of folding the op. The operands must be values of the program. Only integers
// are folded, with the arithmetic of scalar.h.
Folded fold(const Op& op, const Program& program);

}  // namespace tessera
