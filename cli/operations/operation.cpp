#include "cli/operations/operation.h"

#include <string>
#include <utility>

namespace tessera::cli {
namespace {

GroupedMatmulOptions call_options(const Problem& problem, const Operands& operands,
                                  const RunRequest& request, const RunOptions& options) {
  GroupedMatmulOptions call;
  call.out_dtype = problem.desc.out;
  if (problem.tiling) call.tiling = *problem.tiling;
  call.input_buffer_count = problem.buffers;
  call.align = problem.align;
  call.hints = problem.hints;
  call.window.offset = problem.desc.group_offset;
  call.window.rows = problem.desc.local_rows ? GroupWindow::Local : GroupWindow::Global;
  call.transpose_rhs = problem.desc.transpose_rhs;
  if (problem.desc.existing) call.existing_out = &operands.existing;
  if (problem.desc.existing) call.existing_mode = *problem.desc.existing;
  call.precision = problem.desc.precision;
  call.strict_sum = problem.strict_sum;
  call.program = problem.program.get();
  if (problem.desc.kind == GroupedKind::tgmm) {
    call.num_actual_groups = problem.desc.local_groups;
    call.lhs_layout = problem.lhs_stored ? GroupedMatmulOptions::LhsLayout::mk
                                         : GroupedMatmulOptions::LhsLayout::km;
  }
  call.device = std::string(request.device_name());
  call.run = {request.profile.machine, &options};
  return call;
}

}  // namespace

Expected<OperationRun> launch_grouped(const Problem& problem, const Operands& operands,
                                      const RunRequest& request, const RunOptions& options) {
  const auto run_it =
      problem.desc.kind == GroupedKind::gmm ? run_grouped_matmul : run_transposed_grouped_matmul;
  const GroupedMatmulOptions call = call_options(problem, operands, request, options);
  Expected<GroupedMatmulRun> run = run_it(operands.lhs, operands.rhs, operands.group_sizes, call);
  if (!run) return run.diags();
  OperationRun result = operation_run(*std::move(run), problem.buffers);
  if (request.device == nullptr) result.kernel = name(problem.desc.kind);
  return result;
}

Verdict judge_grouped(const Problem& problem, const Operands& operands, const RunRequest& request,
                      const Tensor& out, const CheckOptions& how) {
  const bool is_gmm = problem.desc.kind == GroupedKind::gmm;
  const GroupedMatmulOptions call = call_options(problem, operands, request, request.options);
  const Expected<GroupedProblem> plain =
      (is_gmm ? gmm_problem : tgmm_problem)(operands.lhs, operands.rhs, operands.group_sizes, call);
  if (!plain) return unjudged(plain.diags());
  return (is_gmm ? check_gmm : check_tgmm)(*plain, out, how);
}

}  // namespace tessera::cli
