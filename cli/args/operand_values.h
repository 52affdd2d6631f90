// Known properties of the operand values of a call. Readers of arguments record the origin of the
// values; this file derives the property that the result check uses.
#pragma once
#include "kernels/inputs/fill.h"
#include "kernels/oracle/error_bound.h"

namespace tessera::cli {

struct OperandValues {
  Fill fill = Fill::uniform;  // for operands without a file
  bool are_of_files = false;  // some operand is read from a file
  bool are_scaled = false;    // some are quantised, have outliers, or have inexact factors

  // small_integers: every sum is exact, so a right result is exact as well.
  Arithmetic::Values known() const {
    return fill == Fill::integers && !are_of_files && !are_scaled
               ? Arithmetic::Values::small_integers
               : Arithmetic::Values::any;
  }
};

}  // namespace tessera::cli
