// What scalar ops give whose operands are known.
#pragma once
#include <cstdint>

#include "core/program/program.h"

namespace tessera {

// A constant scalar op's value, or nothing when an operand is not constant or the op is no
// arithmetic. Also the identities x + 0, x * 1, x * 0, select of a constant: the id of an operand.
struct Folded {
  bool is_constant = false;
  std::int64_t constant = 0;
  ValueId same_as = no_value;
};
Folded fold(const Op& op, const Program& program);

}  // namespace tessera
