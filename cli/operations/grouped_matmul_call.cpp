#include "cli/operations/grouped_matmul_call.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "cli/args/source_file.h"
#include "cli/operations/config_choice.h"
#include "cli/operations/operation_command.h"
#include "cli/operations/operation_report.h"
#include "core/data/transposed.h"
#include "core/report/try.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera::cli {
namespace {

std::string groups_text(const Problem& problem) {
  std::string text = cli::groups_text(problem.desc.sizes);
  if (problem.desc.local_groups != problem.desc.groups()) {
    text += fmt::format("; {} from group {} on, {} rows", problem.desc.local_groups,
                        problem.desc.group_offset, problem.desc.local_rows ? "local" : "global");
  }
  return text;
}

std::string types_text(const Problem& problem) {
  std::string text = fmt::format("{} . {} -> {}", name(problem.desc.lhs), name(problem.desc.rhs),
                                 name(problem.desc.out));
  if (problem.desc.transpose_rhs) text += ", rhs transposed";
  if (problem.desc.existing) {
    text += fmt::format(", existing result: {}", name(*problem.desc.existing));
  }
  return text;
}

Json shape_json(const Problem& problem) {
  return {{"m", problem.desc.m},
          {"k", problem.desc.k},
          {"n", problem.desc.n},
          {"groups", problem.desc.groups()}};
}

void describe(OperationCall& call, const Problem& problem) {
  const std::string shape =
      fmt::format("m {}, k {}, n {}", problem.desc.m, problem.desc.k, problem.desc.n);
  const std::string groups = groups_text(problem);
  call.title = fmt::format("{}, {}, {}", name(problem.desc.kind), shape, groups);
  call.kernel_note = fmt::format("{} buffers", problem.buffers);
  call.lines = {{"shape", shape}, {"groups", groups}, {"types", types_text(problem)}};
  call.fields["shape"] = shape_json(problem);
  call.fields["group_sizes"] = problem.desc.sizes;
  call.dtype = problem.desc.lhs;
  call.out_dtype = problem.desc.out;
  call.flops = problem.flops();
  call.seed = problem.seed;
}

// lhs in the layout of its files.
std::shared_ptr<const Tensor> lhs_for_files(const std::shared_ptr<Problem>& input) {
  const Tensor& lhs = input->operands.lhs;
  if (!input->desc.is_tgmm() || input->lhs_stored == input->lhs_files_stored) return {input, &lhs};
  return std::make_shared<const Tensor>(Tensor::deferred(
      lhs.dtype(), {lhs.dim(1), lhs.dim(0)}, [input] { return transposed(input->operands.lhs); }));
}

// Chooses the configuration and stores its origin for the report.
Expected<void> configure(OperationCall& call, Problem& problem, const Arguments& arguments) {
  const ConfigDecision config = TRY(settle_config(problem, call.request, arguments));
  // A replay uses the same configuration, even if the caches have changed.
  if (!is_given(config)) call.request.invocation = with_config(call.request.invocation, config);
  const bool explains = arguments.was_given("explain");
  call.config_lines = config_lines(config, explains);
  if (explains || !is_given(config) || !config.warnings.empty()) call.config = to_json(config);
  return {};
}

GroupedMatmulOptions call_options(const Problem& problem, const RunRequest& request,
                                  const RunOptions& options) {
  const Operands& operands = problem.operands;
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

Expected<OperationRun> launch(const Problem& problem, const RunRequest& request,
                              const RunOptions& options) {
  const auto run_it = problem.desc.is_tgmm() ? run_transposed_grouped_matmul : run_grouped_matmul;
  const Operands& operands = problem.operands;
  OperationRun result = operation_run(TRY(run_it(operands.lhs, operands.rhs, operands.group_sizes,
                                                 call_options(problem, request, options))),
                                      problem.buffers);
  if (request.device == nullptr) result.kernel = name(problem.desc.kind);
  return result;
}

Verdict judge(const Problem& problem, const RunRequest& request, const Tensor& out,
              const CheckOptions& how) {
  const bool is_tgmm = problem.desc.is_tgmm();
  const Operands& operands = problem.operands;
  const Expected<GroupedProblem> plain =
      (is_tgmm ? tgmm_problem : gmm_problem)(operands.lhs, operands.rhs, operands.group_sizes,
                                             call_options(problem, request, request.options));
  if (!plain) return unjudged(plain.diags());
  return (is_tgmm ? check_tgmm : check_gmm)(*plain, out, how);
}

}  // namespace

Expected<OperationCall> grouped_matmul_call(GroupedKind kind, const Arguments& arguments) {
  OperationCall call{.request = TRY(run_request(arguments, true))};
  std::shared_ptr<const Module> program;
  if (const std::string_view file = arguments.text("program"); !file.empty())
    program = TRY(open_program(std::string(file), arguments.files()));
  const auto input = std::make_shared<Problem>(TRY(filled_problem(kind, arguments)));
  input->program = std::move(program);
  TRY(configure(call, *input, arguments));
  describe(call, *input);
  const Operands& operands = input->operands;
  call.values = operands.values;
  const auto name = [&](const char* operand, const Tensor& tensor) {
    call.operands.push_back({operand, Per::device, {{input, &tensor}}});
  };
  call.operands.push_back({"lhs", Per::device, {lhs_for_files(input)}});
  name("rhs", operands.rhs);
  name("sizes", operands.group_sizes);
  if (input->desc.existing) name("existing", operands.existing);
  call.launch = [input, request = call.request](const RunOptions& options) {
    return launch(*input, request, options);
  };
  call.judge = [input, request = call.request](const OperationRun& run, const CheckOptions& how) {
    return judge(*input, request, *run.results.front(), how);
  };
  return call;
}

}  // namespace tessera::cli
