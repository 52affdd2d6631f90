// The elementwise epilogue as two functions: the rows of a tile that are stored, and the value of
// one element.
#pragma once
#include <string>
#include <vector>

#include "devices/cuda/lower/contraction.h"
#include "devices/cuda/lower/scalar_code.h"

namespace tessera::cuda {

struct EpilogueCode {
  std::string rows;            // statements that set `begin` and `end`
  std::string value;           // statements that set `out` from `x`, the sum at (row, column)
  std::vector<ValueId> needs;  // scalars of the tile that the functions read
  bool exact_rows = false;     // true if a store selects rows, which must exist in the result
  std::string problem;         // the part without a CUDA form; empty if none
};

// Returns the code of the contraction's epilogue. Call it twice: the first call, with drafts of
// `code` and `names` that are discarded, returns `needs`; in the second call `code` has the names
// of these scalars.
EpilogueCode epilogue_code(const Program& program, const Contraction& contraction, ScalarCode& code,
                           KernelNames& names);

}  // namespace tessera::cuda
