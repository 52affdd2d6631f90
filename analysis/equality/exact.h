// Which values a type holds as they are: what it does not hold is rounded, and that has no rule
// over the field.
#pragma once
#include "analysis/equality/tile.h"
#include "core/data/dtype.h"

namespace tessera::fields {

// f32, bf16 and f16 stand for the reals that they round; of other types the rounding counts.
bool is_rounded_away(DType dtype);
bool is_held_by(DType dtype, double literal);
// false: of so many digits that it was computed when the program was made. Then it stands for a
// real that has other digits behind them.
bool is_as_written(double literal);
// Whether a type has all integers of the operand: those that are known, else those of its type.
bool holds_integers(DType to, const Operand& from);

}  // namespace tessera::fields
