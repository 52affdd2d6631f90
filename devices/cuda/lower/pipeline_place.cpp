#include "devices/cuda/lower/pipeline_place.h"

#include <fmt/format.h>

namespace tessera::cuda {

Diag unsupported_at(const Program& program, StmtId statement, std::string reason) {
  return Diag{ErrorCode::unsupported, program.loc(statement), std::move(reason), {}};
}

Expected<PipelinePlace> pipeline_place(const Program& program) {
  PipelinePlace found;
  for (const Buffer& buffer : program.buffers)
    if (buffer.role != Role::scratch && buffer.space == Space::vmem)
      return Diag{
          ErrorCode::unsupported,
          program.loc(buffer.place),
          fmt::format(
              "operand `{}` is in vmem, and a CUDA kernel requires its operands in device memory",
              buffer.name),
          {}};
  for (const StmtId i : program.body.ids()) {
    const Op& op = program.body[i].op;
    if (std::holds_alternative<OpaqueRead>(op) || std::holds_alternative<OpaqueWrite>(op))
      return unsupported_at(program, i, "`opaque` has no CUDA kernel: its computation is unknown");
    if (std::holds_alternative<While>(op))
      return unsupported_at(program, i, "`while` has no CUDA kernel; a `for` has one");
  }
  for (const StmtId i : program.body.ids())
    if (const OpInfo& row = info(program.body[i].op); row.op_class == OpClass::debug)
      return unsupported_at(
          program, i,
          fmt::format("`{}` has no CUDA kernel: it is for runs of the interpreter",
                      row.mnemonic == "print_text" ? "print" : row.mnemonic));
  for (const StmtId i : program.body.ids())
    if (std::holds_alternative<ViewAs>(program.body[i].op))
      return unsupported_at(program, i, "a view with another shape or type has no CUDA kernel");
  for (StmtId i(0); i < program.body.next(); ++i) {
    const Stmt& s = program.body[i];
    if (std::holds_alternative<Pipeline>(s.op)) {
      if (found.open) return unsupported_at(program, i, "a second pipeline has no CUDA kernel");
      found.open = i;
      found.close = i = s.partner;
    } else if (found.open && !std::holds_alternative<Free>(s.op)) {
      return unsupported_at(program, i, "code after the pipeline has no CUDA kernel");
    }
  }
  if (!found.open)
    return unsupported_at(program, StmtId(), "a program without a pipeline has no CUDA kernel");
  return found;
}

}  // namespace tessera::cuda
