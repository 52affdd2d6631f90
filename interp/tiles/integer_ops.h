// Integer-only ops on single numbers. They compute in the type of their operands, independently of
// the type of the result. A number has the type of the other operand; a shift has the type of the
// shifted operand.
#pragma once
#include <cstdint>

#include "core/data/dtype.h"
#include "core/program/op_shapes.h"

namespace tessera::tile {

using IntegerBinary = shapes::Integers;

// Returns the type in which operands of these types are computed.
DType integer_type(IntegerBinary op, DType a, bool a_is_number, DType b, bool b_is_number);
// Returns the value of the op, computed in `type`.
std::int64_t value_of(IntegerBinary op, DType type, std::int64_t a, std::int64_t b);
// Converts the low bits of an integer to `type`.
std::int64_t low_bits(DType type, std::int64_t integer);

}  // namespace tessera::tile
