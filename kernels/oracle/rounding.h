// How storing into a type changes a value.
#pragma once  // public
#include "core/data/dtype.h"

namespace tessera {

// The rounding of one type.
struct Rounding {
  double unit = 0;         // relative error of rounding: 2^-(significand bits)
  double half_step = 0;    // absolute error: half the smallest subnormal; 0.5 for integers
  double largest = 0;      // the largest finite number
  double overflow = 0;     // from here on rounding to nearest gives inf
  bool saturates = false;  // what exceeds `largest` becomes `largest`
};

// The rounding of a value of type `accumulator` to `dtype`; no error where the types hold the same.
Rounding rounding(DType dtype, DType accumulator);

}  // namespace tessera
