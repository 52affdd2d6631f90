// The ops of integers alone, number by number. They compute in the type of their operands, where a
// number has that of the other operand, and a shift in that of what is shifted; whatever they are
// stored to.
#pragma once
#include <cstdint>

#include "core/data/dtype.h"
#include "core/program/op_shapes.h"

namespace tessera::tile {

using IntegerBinary = shapes::Integers;

// The type in which operands of these types are computed.
DType integer_type(IntegerBinary op, DType a, bool a_is_number, DType b, bool b_is_number);
// In that type.
std::int64_t value_of(IntegerBinary op, DType type, std::int64_t a, std::int64_t b);
// The low bits of an integer, as the type has them.
std::int64_t low_bits(DType type, std::int64_t integer);

}  // namespace tessera::tile
