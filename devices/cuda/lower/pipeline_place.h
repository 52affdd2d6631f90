// Position of a program's only pipeline.
#pragma once
#include <cstdint>

#include "core/program/program.h"
#include "core/report/expected.h"

namespace tessera::cuda {

struct PipelinePlace {
  StmtId open, close;  // first and last statement
};

// Returns the position of the pipeline. Fails with ErrorCode::unsupported unless there is one, at
// top level, with only frees after it. Also fails for operands in vmem, and for some ops without a
// CUDA form: opaque, while, debug ops, views of another type. The code before the pipeline is not
// checked.
Expected<PipelinePlace> pipeline_place(const Program& program);

// Returns a diagnostic with ErrorCode::unsupported at a statement of the body; without a location
// if `statement` is none.
Diag unsupported_at(const Program& program, StmtId statement, std::string reason);

}  // namespace tessera::cuda
