// A problem with its operands: what options and files say together.
#pragma once
#include "cli/args/operands.h"
#include "cli/args/problem.h"

namespace tessera::cli {

struct Given {
  Problem problem;
  Operands operands;
};

// Reads the files, settles every extent and type by them and the options, and generates the rest.
Expected<Given> given(const Asked& asked);
// The problem alone: nothing is generated, and no memory is needed for it.
Expected<Problem> settled_problem(const Asked& asked);

}  // namespace tessera::cli
