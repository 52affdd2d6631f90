// Where the one pipeline of a program stands.
#pragma once
#include <cstdint>

#include "core/program/program.h"
#include "core/report/expected.h"

namespace tessera::cuda {

struct PipelinePlace {
  StmtId open, close;  // its statement and its end
};

// One pipeline at the top, scalar code before it, nothing but frees after it; else
// ErrorCode::unsupported.
Expected<PipelinePlace> pipeline_place(const Program& program);

// ErrorCode::unsupported at a statement of the body, or nowhere for none.
Diag unsupported_at(const Program& program, StmtId statement, std::string reason);

}  // namespace tessera::cuda
