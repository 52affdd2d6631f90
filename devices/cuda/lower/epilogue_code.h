// The elementwise epilogue as two functions: which rows of a tile are stored, and what one element
// becomes.
#pragma once
#include <string>
#include <vector>

#include "devices/cuda/lower/contraction.h"
#include "devices/cuda/lower/scalar_code.h"

namespace tessera::cuda {

struct EpilogueCode {
  std::string rows;            // statements that set `begin` and `end`
  std::string value;           // statements that set `out` from `x`, the sum at (row, column)
  std::vector<ValueId> needs;  // scalars of the tile that they read
  bool exact_rows = false;     // a store names rows, which must be the result's
  std::string problem;         // what has no CUDA form; empty if all has one
};

// Scalars that `needs` names are written as `code` knows them when this is called a second time.
EpilogueCode epilogue_code(const Program& program, const Contraction& contraction, ScalarCode& code,
                           KernelNames& names);

}  // namespace tessera::cuda
