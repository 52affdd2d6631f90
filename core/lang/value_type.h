// Types of elementwise op values, and conditions for writing them directly to their target.
#pragma once
#include "core/program/program.h"

namespace tessera {

// Returns the type of the op's value. op: an elementwise tile op; its first field, the target, need
// not be set. The first case that applies:
// a comparison: i32;
// bit ops, quotients, remainders and shifts of integers: the widest type of the tiles (a shift: its
// first tile's type), or i64 without tiles;
// a float operand, or a function such as exp: f32;
// otherwise: i64 if i32 cannot represent all operand types, else i32.
DType value_type(const Program& program, const Op& op);

// True if each element of the value is 0 or 1: comparisons, is_finite.
bool gives_truths(const Op& op);

// True if writing the value directly to memory of type `to` gives the same elements as a cast from
// a tile of value_type().
bool writes_as_cast(const Program& program, const Op& op, DType to);

}  // namespace tessera
