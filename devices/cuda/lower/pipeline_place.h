// Position of a program's only pipeline.
#pragma once
#include <cstdint>

#include "core/program/program.h"
#include "core/report/expected.h"

namespace tessera::cuda {

struct PipelinePlace {
  StmtId open, close;  // first and last statement
};

// Requires one pipeline at top level, scalar code before it, and only frees after it. Fails with
// ErrorCode::unsupported otherwise, and for ops without a CUDA form.
Expected<PipelinePlace> pipeline_place(const Program& program);

// Diagnostic with ErrorCode::unsupported at a statement of the body; without a location if
// `statement` is none.
Diag unsupported_at(const Program& program, StmtId statement, std::string reason);

}  // namespace tessera::cuda
