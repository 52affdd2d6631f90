// Where the one pipeline of a program stands.
#pragma once
#include <cstdint>

#include "core/program/program.h"
#include "core/report/expected.h"

namespace tessera::cuda {

struct PipelinePlace {
  std::int32_t open = -1, close = -1;  // its statement and its end, in the body
};

// One pipeline at the top, scalar code before it, nothing but frees after it; else
// ErrorCode::unsupported.
Expected<PipelinePlace> pipeline_place(const Program& program);

// ErrorCode::unsupported at a statement of the body, or nowhere for -1.
Diag unsupported_at(const Program& program, std::int32_t statement, std::string reason);

}  // namespace tessera::cuda
