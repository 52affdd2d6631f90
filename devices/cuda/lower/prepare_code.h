// The scalar code before the pipeline, as a function that each CTA runs first.
#pragma once
#include <cstdint>
#include <string>

#include "core/program/program.h"
#include "devices/cuda/lower/scalar_code.h"

namespace tessera::cuda {

// Returns the code for statements [0, end) of the program, executed by all threads of a CTA. The
// function returns false if a requirement of the program is violated. problem: output, the
// first construct without a CUDA form; unchanged if there is none or if it is not empty.
std::string prepare_code(const Program& program, StmtId end, KernelNames& names,
                         std::string& problem);

}  // namespace tessera::cuda
