// What storing into a type may do to a value.
#pragma once  // public
#include "core/data/dtype.h"

namespace tessera {

struct Rounding {
  double unit = 0;         // relative error of rounding: 2^-(significand bits)
  double half_step = 0;    // half the smallest subnormal; half of 1 for integers
  double largest = 0;      // finite
  double overflow = 0;     // from here on rounding to nearest gives inf
  bool saturates = false;  // beyond `largest` is `largest`
};

// No error for what `accumulator`, in which the value is at hand, holds as it is.
Rounding rounding(DType dtype, DType accumulator);

}  // namespace tessera
