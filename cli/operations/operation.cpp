#include "cli/operations/operation.h"

#include <string>
#include <utility>

namespace tessera::cli {
namespace {

GroupedMatmulOptions call_options(const Problem& problem, const Operands& operands,
                                  const RunRequest& request, const RunOptions& options) {
  GroupedMatmulOptions call;
  call.out_dtype = problem.out_dtype;
  if (problem.tiling) call.tiling = *problem.tiling;
  call.input_buffer_count = problem.buffers;
  call.align = problem.align;
  call.hints = problem.hints;
  call.window.offset = problem.group_offset;
  call.window.rows = problem.local_rows ? GroupWindow::Local : GroupWindow::Global;
  call.transpose_rhs = problem.transpose_rhs;
  if (problem.existing != Existing::none) call.existing_out = &operands.existing;
  call.existing_mode =
      problem.existing == Existing::overwrite ? ExistingOut::Overwrite : ExistingOut::Accumulate;
  call.precision = problem.precision == "high"      ? Precision::High
                   : problem.precision == "highest" ? Precision::Highest
                                                    : Precision::Default;
  call.strict_sum = problem.strict_sum;
  call.program = problem.program.get();
  if (problem.operation == Operation::tgmm) {
    call.num_actual_groups = problem.local_groups;
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
      problem.operation == Operation::gmm ? run_grouped_matmul : run_transposed_grouped_matmul;
  const GroupedMatmulOptions call = call_options(problem, operands, request, options);
  Expected<GroupedMatmulRun> run = run_it(operands.lhs, operands.rhs, operands.group_sizes, call);
  if (!run) return run.diags();
  OperationRun result = operation_run(*std::move(run), problem.buffers);
  if (request.device == nullptr) result.kernel = name(problem.operation);
  return result;
}

Verdict judge_grouped(const Problem& problem, const Operands& operands, const RunRequest& request,
                      const Tensor& out, const CheckOptions& how) {
  const bool is_gmm = problem.operation == Operation::gmm;
  const GroupedMatmulOptions call = call_options(problem, operands, request, request.options);
  const Expected<GroupedProblem> plain =
      (is_gmm ? gmm_problem : tgmm_problem)(operands.lhs, operands.rhs, operands.group_sizes, call);
  if (!plain) return unjudged(plain.diags());
  return (is_gmm ? check_gmm : check_tgmm)(*plain, out, how);
}

}  // namespace tessera::cli
