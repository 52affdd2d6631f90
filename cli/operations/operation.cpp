#include "cli/operations/operation.h"

#include <string>
#include <utility>

#include "cli/reports/progress.h"
#include "cli/reports/report.h"

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

Expected<Outcome> perform(const Problem& problem, const Operands& operands,
                          const RunRequest& request, const RunOptions& options, Check check) {
  const bool is_gmm = problem.operation == Operation::gmm;
  const auto run_it = is_gmm ? run_grouped_matmul : run_transposed_grouped_matmul;
  const auto problem_of = is_gmm ? gmm_problem : tgmm_problem;
  const auto check_it = is_gmm ? check_gmm : check_tgmm;

  const GroupedMatmulOptions call = call_options(problem, operands, request, options);
  const Tensor &lhs = operands.lhs, &rhs = operands.rhs, &sizes = operands.group_sizes;
  Progress::phase("running");
  Expected<GroupedMatmulRun> run = run_it(lhs, rhs, sizes, call);
  if (!run) return run.diags();
  Outcome outcome{status_of(run->report), *std::move(run), {}};
  if (outcome.status != Status::ok || check == Check::none) return outcome;
  const Expected<GroupedProblem> plain = problem_of(lhs, rhs, sizes, call);
  if (!plain) return plain.diags();
  CheckOptions how;
  how.check = check;
  how.seed = problem.seed;
  how.sum_error = outcome.run.report.sum_error;
  how.values = operands.all_whole ? Arithmetic::Values::whole : Arithmetic::Values::any;
  outcome.verdict = judged([&] { return check_it(*plain, outcome.run.out, how); });
  if (!outcome.verdict) outcome.status = Status::interrupted;
  if (!outcome.verdict) return outcome;
  if (outcome.verdict->ok) return outcome;
  outcome.status = Status::mismatch;
  outcome.mismatch = Finding{.kind = FindingKind::mismatch,
                             .message = outcome.verdict->message,
                             .at = {.loc = outcome.run.result_place}};
  return outcome;
}

}  // namespace tessera::cli
