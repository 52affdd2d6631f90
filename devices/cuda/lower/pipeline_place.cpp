#include "devices/cuda/lower/pipeline_place.h"

namespace tessera::cuda {

Diag unsupported_at(const Program& program, StmtId statement, std::string reason) {
  return Diag{ErrorCode::unsupported, program.loc(statement), std::move(reason), {}};
}

Expected<PipelinePlace> pipeline_place(const Program& program) {
  PipelinePlace found;
  for (StmtId i(0); i < program.body.next(); ++i) {
    const Stmt& s = program.body[i];
    if (std::holds_alternative<Pipeline>(s.op)) {
      if (found.open) return unsupported_at(program, i, "a second pipeline has no CUDA kernel");
      found.open = i;
      found.close = i = s.partner;
    } else if (found.open && !std::holds_alternative<Free>(s.op)) {
      return unsupported_at(program, i, "what stands after the pipeline has no CUDA kernel");
    }
  }
  if (!found.open)
    return unsupported_at(program, StmtId(), "a program without a pipeline has no CUDA kernel");
  return found;
}

}  // namespace tessera::cuda
