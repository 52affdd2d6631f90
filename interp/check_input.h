// Validation of the inputs of a run.
#pragma once
#include <vector>

#include "core/program/program.h"
#include "core/report/expected.h"
#include "interp/binding.h"
#include "interp/run_options.h"

namespace tessera {

// Fails if a run is not possible. Checks the options and observers, the bound tensors (dtype, shape
// in storage order, one binding per device) and, with several cores per device, whether the program
// is unambiguous for them: for example, a remote copy must specify its core. Returns all errors.
Expected<void> check_input(const Program& program, const std::vector<Binding>& bindings,
                           const RunOptions& options);

}  // namespace tessera
