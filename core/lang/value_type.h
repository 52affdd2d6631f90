// Of which type the value of an elementwise op is, and where the op may write it at once.
#pragma once
#include "core/program/program.h"

namespace tessera {

// Of bits and what cuts off, the operands' own integer type; of the others
// f32 with a float among the operands, i64 where i32 does not hold each of them, else i32; of a
// comparison i32.
DType value_type(const Program& program, const Op& op);

// True if each element of the value is 0 or 1: comparisons, is_finite.
bool gives_truths(const Op& op);

// Whether the op leaves in memory of this type what a tile of its value's type leaves there when it
// is cast.
bool writes_as_cast(const Program& program, const Op& op, DType to);

}  // namespace tessera
