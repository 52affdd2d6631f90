// Change of a value when it is stored in a type.
#pragma once  // public
#include "core/data/dtype.h"

namespace tessera {

// Rounding to one type.
struct Rounding {
  double unit = 0;         // relative error of rounding: 2^-(significand bits)
  double half_step = 0;    // absolute error: half the smallest subnormal; 0.5 for integers
  double largest = 0;      // largest finite number
  double overflow = 0;     // smallest magnitude that rounds to inf
  bool saturates = false;  // values beyond `largest` become `largest`
};

// Returns the rounding of a value of type `accumulator` to `dtype`; without error if they are both
// f32 or both integers.
Rounding rounding(DType dtype, DType accumulator);

}  // namespace tessera
