#include "devices/cuda/runtime/error_word.h"

#include <fmt/format.h>

#include "devices/cuda/templates/base.cuh"

namespace tessera::cuda {

namespace {

// The `require` statement that the error word reports as violated; null if it reports none.
const Stmt* refused(const Program& program, std::int64_t word) {
  if (word > first_refusal) return nullptr;
  const StmtId at(static_cast<std::size_t>(first_refusal - word));
  if (!program.body.has(at) || !std::holds_alternative<Require>(program.body[at].op))
    return nullptr;
  return &program.body[at];
}

}  // namespace

std::string error_text(const Program& program, const LoweredKernel& kernel, std::int64_t word) {
  if (word == 0) return "";
  if (const TensorCorePlan* plan = kernel.tensor_core();
      word > 0 && plan != nullptr && plan->ragged_contraction) {
    return fmt::format(
        "{} reads up to {} along a contraction of {}; do the group sizes sum to more?",
        program.name, word, plan->contraction);
  }
  if (word > 0) {
    return fmt::format(
        "{} stores rows up to {} of a result that has {}; do the group sizes sum to "
        "more?",
        program.name, word, kernel.result_rows);
  }
  if (const Stmt* at = refused(program, word))
    return program.texts[std::get<Require>(at->op).message];
  if (word <= first_refusal) return fmt::format("an unknown error word, {}", word);
  const std::int64_t found = -1 - word, index = found / counted_operands;
  const BufferId buffer(static_cast<std::int32_t>(found % counted_operands));
  if (!program.buffers.has(buffer)) return fmt::format("an unknown error word, {}", word);
  const Buffer& counts = program.buffers[buffer];
  if (index >= elements(counts.shape)) {
    return fmt::format("`{}` sums to more rows than a kernel can address; nothing was multiplied",
                       counts.name);
  }
  return fmt::format("{}[{}] is negative; nothing was multiplied", counts.name, index);
}

Expected<std::optional<Finding>> finding_of(const Program& program, const LoweredKernel& kernel,
                                            std::int64_t word) {
  if (word == 0) return std::optional<Finding>();
  std::string text = error_text(program, kernel, word);
  if (const Stmt* at = refused(program, word))
    return Diag{ErrorCode::invalid_value, program.loc(at->place), std::move(text), {}};
  return std::optional<Finding>(
      Finding{.kind = FindingKind::out_of_bounds, .message = std::move(text)});
}

}  // namespace tessera::cuda
