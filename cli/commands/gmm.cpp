// gmm and tgmm: one grouped matmul, checked against the reference.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/args/fill_operand.h"
#include "cli/args/given.h"
#include "cli/args/run_request.h"
#include "cli/args/source_file.h"
#include "cli/command.h"
#include "cli/operations/config_choice.h"
#include "cli/operations/operation.h"
#include "cli/operations/operation_call.h"
#include "cli/reports/observation.h"
#include "cli/reports/report.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

std::string groups_text(const Problem& problem) {
  std::string text = cli::groups_text(problem.group_sizes);
  if (problem.local_groups != problem.groups()) {
    text += fmt::format("; {} from group {} on, {} rows", problem.local_groups,
                        problem.group_offset, problem.local_rows ? "local" : "global");
  }
  return text;
}

std::string types_text(const Problem& problem) {
  std::string text = fmt::format("{} . {} -> {}", name(problem.dtype), name(problem.rhs_dtype),
                                 name(problem.out_dtype));
  if (problem.transpose_rhs) text += ", rhs transposed";
  if (problem.existing != Existing::none) {
    text += fmt::format(", existing result: {}", name(problem.existing));
  }
  return text;
}

// A rate only where all of it was computed.
std::string time_text(const Problem& problem, const RunRequest& request, const Outcome& outcome) {
  const double seconds = outcome.run.report.wall_seconds;
  std::string text = human_seconds(seconds);
  const bool computed = outcome.run.report.findings.empty() && request.options.math != Math::none;
  if (computed && problem.flops() > 0 && seconds > 0) {
    text += fmt::format(", {:.3g} GFLOP/s", static_cast<double>(problem.flops()) / seconds * 1e-9);
  }
  return text;
}

void print_report(Console& console, const Arguments& arguments, const Problem& problem,
                  const RunRequest& request, const Outcome& outcome) {
  const bool tiled = request.device != nullptr;
  console.out << line("kernel",
                      tiled ? fmt::format("{}, {} buffers", outcome.run.kernel, problem.buffers)
                            : std::string(name(problem.operation)));
  console.out << line("shape", fmt::format("m {}, k {}, n {}", problem.m, problem.k, problem.n));
  console.out << line("groups", groups_text(problem));
  console.out << line("types", types_text(problem));
  console.out << run_lines(arguments, request, outcome.run.report);
  if (tiled) console.out << line("time", time_text(problem, request, outcome));
  for (const std::string& note : outcome.run.notes) console.out << line("note", note);
  if (outcome.mismatch) {
    console.out << render(*outcome.mismatch);
    if (outcome.run.report.simulated) {
      console.out << fmt::format("replay: {}\n",
                                 replay_line(request, *outcome.run.report.simulated));
    }
  } else if (outcome.verdict) {
    console.out << line("ok", outcome.verdict->message);
  } else if (outcome.status == Status::ok) {
    console.out << line("ok", "not checked");
  }
  console.out << finding_lines(arguments, request, outcome.run.report);
}

Json report_json(const Arguments& arguments, const Problem& problem, const RunRequest& request,
                 const Outcome& outcome) {
  const Tiling& tiling = outcome.run.tiling;
  Json object = {
      {"status", name(outcome.status)},
      {"device", request.device_name()},
      {"kernel", outcome.run.kernel},
      {"shape",
       {{"m", problem.m}, {"k", problem.k}, {"n", problem.n}, {"groups", problem.groups()}}},
      {"group_sizes", problem.group_sizes},
      {"dtype", name(problem.dtype)},
      {"out_dtype", name(problem.out_dtype)},
      {"tiling", {{"m", tiling.m}, {"k", tiling.k}, {"n", tiling.n}}},
      {"flops", problem.flops()}};
  if (request.device == nullptr) object["tiling"] = Json();
  add_run(object, arguments, request, outcome.run.report);
  const Verdict* const verdict = outcome.verdict ? &*outcome.verdict : nullptr;
  object["max_abs_error"] = verdict ? Json(verdict->max_abs_error) : Json();
  object["max_error_over_bound"] = verdict ? Json(verdict->max_error_over_bound) : Json();
  object["checked_rows"] = verdict ? verdict->checked_rows : 0;
  object["overflowed_elements"] = verdict ? verdict->overflowed_elements : 0;
  if (outcome.mismatch) {
    object["findings"].push_back(to_json(*outcome.mismatch));
    if (outcome.run.report.simulated) {
      object["replay"] = replay_line(request, *outcome.run.report.simulated);
    }
  }
  if (!outcome.run.notes.empty()) object["notes"] = outcome.run.notes;
  return object;
}

// The problem with its operands, which are filled unless the launch is refused.
Expected<Given> given_for_launch(const Asked& what, RunRequest& request,
                                 const Arguments& arguments) {
  return filled_for_launch(
      [&] { return given(what); },
      [&](const Given& input) {
        if (!request.is_interpreter()) return false;
        Problem problem = input.problem;
        if (!choose_config(problem, request, arguments)) return true;
        const Expected<Outcome> outcome =
            perform(problem, input.operands, request, launch_options(request), Check::none);
        request.options.launch_only = !outcome || outcome->status == Status::finding;
        return request.options.launch_only;
      });
}

int run(Operation operation, const Arguments& arguments, Console& console) {
  Expected<Asked> what = asked(operation, arguments);
  if (!what) return fail(console, what.diags());
  Expected<RunRequest> request = run_request(arguments, true);
  if (!request) return fail(console, request.diags());
  Expected<ResultFile> out = result_file(arguments);
  if (!out) return fail(console, out.diags());
  if (const std::string_view file = arguments.text("program"); !file.empty()) {
    Expected<std::shared_ptr<const Module>> program = open_program(std::string(file));
    if (!program) return fail(console, program.diags());
    what->problem.program = *std::move(program);
  }
  Expected<Given> input = given_for_launch(*what, *request, arguments);
  if (!input) return fail(console, input.diags());
  const Expected<ConfigDecision> config = choose_config(input->problem, *request, arguments);
  if (!config) return fail(console, config.diags());
  // A replay does what this run did, whatever a cache says then.
  if (!is_given(*config)) request->invocation = with_config(request->invocation, *config);
  const Problem& problem = input->problem;
  Diags diags;
  const Check check = choose_check(arguments, problem.flops(), *request, diags);
  const bool explains = arguments.has("explain");
  if (diags.empty()) diags = arguments.unread();
  if (!diags.empty()) return fail(console, diags);

  Observation observation(*request, console);
  const Expected<Outcome> outcome =
      perform(problem, input->operands, *request, observation.options(), check);
  if (!outcome) return fail(console, outcome.diags());
  diags = observation.finish();
  for (const Diag& unsaved : save_schedule(*request, outcome->run.report)) diags.push_back(unsaved);
  if (*out && has_results(outcome->run.report)) {
    for (const Diag& unsaved : (*out)->write(outcome->run.out)) diags.push_back(unsaved);
  }
  return report(
      console, outcome->status, diags,
      [&] {
        Json object = report_json(arguments, problem, *request, *outcome);
        if (explains || !is_given(*config) || !config->warnings.empty())
          object["config"] = to_json(*config);
        return object;
      },
      [&] {
        console.out << config_lines(*config, explains);
        print_report(console, arguments, problem, *request, *outcome);
      });
}

Expected<Prepared> prepare(Operation operation, const Arguments& arguments) {
  const Expected<Asked> what = asked(operation, arguments);
  if (!what) return what.diags();
  Expected<RunRequest> request = run_request(arguments, true);
  if (!request) return request.diags();
  Expected<Given> input = given_for_launch(*what, *request, arguments);
  if (!input) return input.diags();
  const Expected<ConfigDecision> config = choose_config(input->problem, *request, arguments);
  if (!config) return config.diags();
  Prepared prepared{*std::move(request), {}, {}};
  const Problem& problem = input->problem;
  prepared.kernel = fmt::format("{}, m {}, k {}, n {}, {}", name(operation), problem.m, problem.k,
                                problem.n, groups_text(problem));
  prepared.simulate = [input = std::make_shared<const Given>(*std::move(input)),
                       request =
                           prepared.request](const RunOptions& options) -> Expected<RunResult> {
    const Expected<Outcome> outcome =
        perform(input->problem, input->operands, request, options, Check::none);
    if (!outcome) return outcome.diags();
    return *outcome->run.report.simulated;
  };
  return prepared;
}

int run_gmm(const Arguments& arguments, Console& console) {
  return run(Operation::gmm, arguments, console);
}

int run_tgmm(const Arguments& arguments, Console& console) {
  return run(Operation::tgmm, arguments, console);
}

Expected<Prepared> prepare_gmm(const Arguments& arguments) {
  return prepare(Operation::gmm, arguments);
}

Expected<Prepared> prepare_tgmm(const Arguments& arguments) {
  return prepare(Operation::tgmm, arguments);
}

}  // namespace

Command gmm_command() {
  return {"gmm",
          "",
          "grouped matmul: out[rows of group g] = lhs[rows of group g] . rhs[g]",
          "  gmm-run gmm --group-sizes 100,150,50 --k 64 --n 32 --interpret\n"
          "  gmm-run gmm --m 4096 --groups 8 --group-sizes zipf:1.2 --k 512 --n 512 --dtype f32\n"
          "  gmm-run gmm --group-sizes 5,0,9 --k 96 --n 64 --tiling 8,32,32 --schedule random:7\n"
          "  gmm-run gmm --lhs x.npy --rhs weights.safetensors#w1 --sizes sizes.npy --out y.npy\n",
          operation_options(problem_options(Operation::gmm)),
          run_gmm,
          prepare_gmm};
}

Command tgmm_command() {
  return {"tgmm",
          "",
          "its gradient for the weights: out[g] = lhs[:, rows of g] . rhs[rows of g, :]",
          "  gmm-run tgmm --group-sizes 100,150,50 --k 64 --n 32 --interpret\n"
          "  gmm-run tgmm --group-sizes 100,0,50 --k 64 --n 32 --existing-out accumulate\n",
          operation_options(problem_options(Operation::tgmm)),
          run_tgmm,
          prepare_tgmm};
}

}  // namespace tessera::cli
