#include "devices/cuda/lower/pipeline_place.h"

namespace tessera::cuda {

Diag unsupported_at(const Program& program, std::int32_t statement, std::string reason) {
  const Loc loc =
      statement < 0 ? Loc{} : program.loc(program.body[static_cast<std::size_t>(statement)].place);
  return Diag{ErrorCode::unsupported, loc, std::move(reason), {}};
}

Expected<PipelinePlace> pipeline_place(const Program& program) {
  const auto size = static_cast<std::int32_t>(program.body.size());
  PipelinePlace found;
  for (std::int32_t i = 0; i < size; ++i) {
    const Stmt& s = program.body[static_cast<std::size_t>(i)];
    if (std::holds_alternative<Pipeline>(s.op)) {
      if (found.open >= 0)
        return unsupported_at(program, i, "a second pipeline has no CUDA kernel");
      found.open = i;
      found.close = i = s.partner;
    } else if (found.open >= 0 && !std::holds_alternative<Free>(s.op)) {
      return unsupported_at(program, i, "what stands after the pipeline has no CUDA kernel");
    }
  }
  if (found.open < 0)
    return unsupported_at(program, -1, "a program without a pipeline has no CUDA kernel");
  return found;
}

}  // namespace tessera::cuda
