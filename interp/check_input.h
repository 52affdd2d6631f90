// What comes from outside to a run.
#pragma once
#include <vector>

#include "core/program/program.h"
#include "core/report/expected.h"
#include "interp/binding.h"
#include "interp/run_options.h"

namespace tessera {

// Everything that is wrong with the options, with the tensors that are bound (dtype, shape in
// storage order, one binding a device), and with a program that is to run on several cores of a
// device and leaves open which of them it means.
Expected<void> check_input(const Program& program, const std::vector<Binding>& bindings,
                           const RunOptions& options);

}  // namespace tessera
