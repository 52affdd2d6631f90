#include "cli/operations/grouped_matmul_call.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "cli/args/given.h"
#include "cli/args/operation_options.h"
#include "cli/args/source_file.h"
#include "cli/operations/config_choice.h"
#include "cli/operations/operation.h"
#include "cli/operations/operation_command.h"
#include "cli/operations/operation_report.h"
#include "core/data/transposed.h"
#include "core/report/try.h"

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
std::shared_ptr<const Tensor> lhs_for_files(const std::shared_ptr<Given>& input) {
  const Problem& problem = input->problem;
  const Tensor& lhs = input->operands.lhs;
  if (!problem.desc.is_tgmm() || problem.lhs_stored == problem.lhs_files_stored)
    return {input, &lhs};
  return std::make_shared<const Tensor>(Tensor::deferred(
      lhs.dtype(), {lhs.dim(1), lhs.dim(0)}, [input] { return transposed(input->operands.lhs); }));
}

// Decides on the configuration, and notes where it came from.
Expected<void> configure(OperationCall& call, Problem& problem, const Arguments& arguments) {
  const ConfigDecision config = TRY(settle_config(problem, call.request, arguments));
  // A replay does what this run did, whatever a cache says then.
  if (!is_given(config)) call.request.invocation = with_config(call.request.invocation, config);
  const bool explains = arguments.was_given("explain");
  call.config_lines = config_lines(config, explains);
  if (explains || !is_given(config) || !config.warnings.empty()) call.config = to_json(config);
  return {};
}

}  // namespace

Expected<OperationCall> grouped_matmul_call(GroupedKind kind, const Arguments& arguments) {
  Expected<Asked> what = asked(kind, arguments);
  if (!what) return what.diags();
  Expected<RunRequest> request = run_request(arguments, true);
  if (!request) return request.diags();
  if (const std::string_view file = arguments.text("program"); !file.empty()) {
    Expected<std::shared_ptr<const Module>> program = open_program(std::string(file));
    if (!program) return program.diags();
    what->problem.program = *std::move(program);
  }
  Expected<Given> made = given(*what);
  if (!made) return made.diags();
  OperationCall call{.request = *std::move(request)};
  const auto input = std::make_shared<Given>(*std::move(made));
  TRY(configure(call, input->problem, arguments));
  describe(call, input->problem);
  call.values = input->operands.values;
  const Operands& operands = input->operands;
  const auto name = [&](const char* operand, const Tensor& tensor) {
    call.operands.push_back({operand, Per::device, {{input, &tensor}}});
  };
  call.operands.push_back({"lhs", Per::device, {lhs_for_files(input)}});
  name("rhs", operands.rhs);
  name("sizes", operands.group_sizes);
  if (input->problem.desc.existing) name("existing", operands.existing);
  call.launch = [input, request = call.request](const RunOptions& options) {
    return launch_grouped(input->problem, input->operands, request, options);
  };
  call.judge = [input, request = call.request](const OperationRun& run, const CheckOptions& how) {
    return judge_grouped(input->problem, input->operands, request, *run.results.front(), how);
  };
  return call;
}

}  // namespace tessera::cli
