// Values that a type contains exactly. Other values are rounded, which has no rule over the field.
#pragma once
#include "analysis/equality/tile.h"
#include "core/data/dtype.h"

namespace tessera::fields {

// True if rounding to the type changes the function: for integers and FP8. Values of f32, bf16 and
// f16 represent the reals before rounding.
bool is_rounded_away(DType dtype);
// True if the type contains the literal exactly; infinities: if it is f32, bf16 or f16.
bool is_held_by(DType dtype, double literal);
// True if the literal has at most 15 digits. Other literals were computed when the program was
// created, and represent a real with further digits.
bool is_as_written(double literal);
// True if a type contains all integers of the operand: the known values, otherwise all of its type.
bool holds_integers(DType to, const Operand& from);

}  // namespace tessera::fields
