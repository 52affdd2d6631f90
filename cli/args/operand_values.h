// What is known of the values of a call's operands. Readers of arguments note where values come
// from; here it is decided what follows for the check of the result.
#pragma once
#include "kernels/inputs/fill.h"
#include "kernels/oracle/error_bound.h"

namespace tessera::cli {

struct OperandValues {
  Fill fill = Fill::uniform;  // of those that no file gives
  bool are_of_files = false;  // some operand is read from a file
  bool are_scaled = false;    // some are quantised, made outliers, or multiplied by what rounds

  // Small integers: every sum is exact, and so is a right result.
  Arithmetic::Values known() const {
    return fill == Fill::integers && !are_of_files && !are_scaled
               ? Arithmetic::Values::small_integers
               : Arithmetic::Values::any;
  }
};

}  // namespace tessera::cli
