// The scalar code before the pipeline as the function that every block runs first.
#pragma once
#include <cstdint>
#include <string>

#include "core/program/program.h"
#include "devices/cuda/lower/scalar_code.h"

namespace tessera::cuda {

// Statements [0, end) of the program, for all threads of a block, which returns false when the
// program refuses its operands; `problem` says what has no CUDA form.
std::string prepare_code(const Program& program, StmtId end, KernelNames& names,
                         std::string& problem);

}  // namespace tessera::cuda
