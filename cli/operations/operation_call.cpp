#include "cli/operations/operation_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <ostream>
#include <utility>

#include "cli/args/fill_operand.h"
#include "cli/reports/observation.h"
#include "cli/reports/progress.h"
#include "cli/reports/report.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

// What a call came to.
struct Result {
  Status status = Status::ok;
  GroupedMatmulRun run;
  std::optional<Verdict> verdict;
  std::optional<Finding> mismatch;
};

Expected<Result> perform(const OperationCall& call, const RunOptions& options, Check check) {
  Progress::phase("running");
  Expected<GroupedMatmulRun> run = call.run(options);
  if (!run) return run.diags();
  Result result{status_of(run->report), *std::move(run), {}, {}};
  if (result.status != Status::ok || check == Check::none) return result;
  CheckOptions how;
  how.check = check;
  how.seed = call.seed;
  how.sum_error = result.run.report.sum_error;
  how.values = call.whole ? Arithmetic::Values::whole : Arithmetic::Values::any;
  result.verdict = judged([&] { return call.judge(result.run.out, how); });
  if (!result.verdict) result.status = Status::interrupted;
  if (!result.verdict) return result;
  if (result.verdict->ok) return result;
  result.status = Status::mismatch;
  result.mismatch = Finding{.kind = FindingKind::mismatch,
                            .message = result.verdict->message,
                            .at = {.loc = result.run.result_place}};
  return result;
}

// A rate only where all of it was computed.
std::string time_text(const OperationCall& call, const Result& result) {
  const double seconds = result.run.report.wall_seconds;
  std::string text = human_seconds(seconds);
  const bool computed =
      result.run.report.findings.empty() && call.request.options.math != Math::none;
  if (computed && call.flops > 0 && seconds > 0)
    text += fmt::format(", {:.3g} GFLOP/s", static_cast<double>(call.flops) / seconds * 1e-9);
  return text;
}

void print_report(Console& console, const Arguments& arguments, const OperationCall& call,
                  const Result& result) {
  const bool ran = call.request.device != nullptr;
  console.out << line("kernel", result.run.kernel) << line("shape", call.shape_text)
              << line("groups", groups_text(call.group_sizes)) << line("types", call.types);
  for (const auto& [label, text] : call.lines) console.out << line(label, text);
  console.out << run_lines(arguments, call.request, result.run.report);
  if (ran) console.out << line("time", time_text(call, result));
  for (const std::string& note : result.run.notes) console.out << line("note", note);
  if (result.mismatch) {
    console.out << render(*result.mismatch);
    if (result.run.report.simulated)
      console.out << fmt::format("replay: {}\n",
                                 replay_line(call.request, *result.run.report.simulated));
  } else if (result.verdict) {
    console.out << line("ok", result.verdict->message);
  } else if (result.status == Status::ok) {
    console.out << line("ok", "not checked");
  }
  console.out << finding_lines(arguments, call.request, result.run.report);
}

Json report_json(const Arguments& arguments, const OperationCall& call, const Result& result) {
  const Tiling& tiling = result.run.tiling;
  Json object = {{"status", name(result.status)},
                 {"device", call.request.device_name()},
                 {"kernel", result.run.kernel},
                 {"shape", call.shape},
                 {"group_sizes", call.group_sizes},
                 {"dtype", name(call.dtype)},
                 {"out_dtype", name(call.out_dtype)},
                 {"tiling", {{"m", tiling.m}, {"k", tiling.k}, {"n", tiling.n}}},
                 {"flops", call.flops}};
  if (call.request.device == nullptr) object["tiling"] = Json();
  for (const auto& [key, value] : call.more.members()) object[key] = value;
  add_run(object, arguments, call.request, result.run.report);
  const Verdict* const verdict = result.verdict ? &*result.verdict : nullptr;
  object["max_abs_error"] = verdict ? Json(verdict->max_abs_error) : Json();
  object["max_error_over_bound"] = verdict ? Json(verdict->max_error_over_bound) : Json();
  object["checked_rows"] = verdict ? verdict->checked_rows : 0;
  object["overflowed_elements"] = verdict ? verdict->overflowed_elements : 0;
  if (result.mismatch) {
    object["findings"].push_back(to_json(*result.mismatch));
    if (result.run.report.simulated)
      object["replay"] = replay_line(call.request, *result.run.report.simulated);
  }
  if (!result.run.notes.empty()) object["notes"] = result.run.notes;
  return object;
}

// Its operands are filled unless the launch is refused.
Expected<OperationCall> call_for_launch(PrepareOperation prepare, const Arguments& arguments) {
  return filled_for_launch([&] { return prepare(arguments); },
                           [](OperationCall& call) {
                             if (!call.request.is_interpreter()) return false;
                             const RunOptions launch = launch_options(call.request);
                             const Expected<GroupedMatmulRun> run = call.run(launch);
                             call.request.options.launch_only =
                                 !run || !run->report.findings.empty();
                             return call.request.options.launch_only;
                           });
}

}  // namespace

Check choose_check(const Arguments& arguments, std::int64_t flops, const RunRequest& request,
                   Diags& diags) {
  constexpr std::array<std::string_view, 3> words = {"full", "sample", "none"};
  const Check given = static_cast<Check>(arguments.choice("check", words, diags));
  if (request.options.math == Math::none) {
    if (arguments.has("check") && given != Check::none)
      diags.push_back(error("--check compares values, and --no-math computes none"));
    return Check::none;
  }
  if (request.device == nullptr) {
    if (arguments.has("check") && given != Check::none)
      diags.push_back(error("--check compares with the reference, and this is the reference"));
    return Check::none;
  }
  if (arguments.has("check")) return given;
  return default_check(static_cast<double>(flops));
}

std::string groups_text(std::vector<std::int64_t> sizes) {
  const auto count = static_cast<std::int64_t>(sizes.size());
  std::string text = counted(count, "group", "groups");
  const std::vector<std::int64_t> given = sizes;
  std::sort(sizes.begin(), sizes.end());
  const auto empty = std::count(sizes.begin(), sizes.end(), 0);
  if (count > 0 && sizes.front() == sizes.back()) {
    text += fmt::format(" of {} rows", sizes.front());
  } else if (count <= 8) {
    text += fmt::format(" of {} rows", fmt::join(given, ", "));
  } else {
    text += fmt::format(" of {} to {} rows, median {}", sizes.front(), sizes.back(),
                        sizes[sizes.size() / 2]);
    if (empty > 0) text += fmt::format(", {} empty", empty);
  }
  return text;
}

Expected<ResultFile> result_file(const Arguments& arguments) {
  if (!arguments.has("out")) return ResultFile();
  Expected<TensorOutput> file = TensorOutput::open(arguments.text("out"));
  if (!file) return file.diags();
  return ResultFile(*std::move(file));
}

int run_operation(PrepareOperation prepare, const Arguments& arguments, Console& console) {
  Expected<ResultFile> out = result_file(arguments);
  if (!out) return fail(console, out.diags());
  Expected<OperationCall> call = call_for_launch(prepare, arguments);
  if (!call) return fail(console, call.diags());
  for (const std::string_view option : {"trace", "timing", "save-schedule"})
    if (call->launches > 1 && arguments.was_given(option))
      return fail(console, error(fmt::format("--{} is of one launch, and this call makes {}: one "
                                             "for each group with rows",
                                             option, call->launches)));
  Diags diags;
  const Check check = choose_check(arguments, call->flops, call->request, diags);
  if (diags.empty()) diags = arguments.unread();
  if (!diags.empty()) return fail(console, diags);
  Observation observation(call->request, console);
  const Expected<Result> result = perform(*call, observation.options(), check);
  if (!result) return fail(console, result.diags());
  diags = observation.finish();
  for (const Diag& unsaved : save_schedule(call->request, result->run.report))
    diags.push_back(unsaved);
  if (*out && has_results(result->run.report)) {
    for (const Diag& unsaved : (*out)->write(result->run.out)) diags.push_back(unsaved);
  }
  return report(
      console, result->status, diags, [&] { return report_json(arguments, *call, *result); },
      [&] { print_report(console, arguments, *call, *result); });
}

Expected<Prepared> verifiable_operation(PrepareOperation prepare, const Arguments& arguments) {
  Expected<OperationCall> call = call_for_launch(prepare, arguments);
  if (!call) return call.diags();
  if (call->launches > 1)
    return error(ErrorCode::unsupported,
                 fmt::format("a proof is of one launch, and this call makes {}: one for each group "
                             "with rows. Verify one group, or --path v2",
                             call->launches));
  Prepared prepared{call->request, {}, {}};
  prepared.kernel = fmt::format("{}, {}", call->shape_text, groups_text(call->group_sizes));
  prepared.simulate = [call = std::make_shared<const OperationCall>(*std::move(call))](
                          const RunOptions& options) -> Expected<RunResult> {
    const Expected<Result> result = perform(*call, options, Check::none);
    if (!result) return result.diags();
    if (!result->run.report.simulated)
      return error(ErrorCode::unsupported, "nothing runs here that could be verified");
    return *result->run.report.simulated;
  };
  return prepared;
}

Options operation_options(Options own) {
  for (const Option& option : run_options()) own.push_back(option);
  const auto device = std::find_if(own.begin(), own.end(),
                                   [](const Option& option) { return option.name == "device"; });
  device->value = "interpreter|cuda|reference";
  return own;
}

std::optional<DType> dtype_option(const Arguments& arguments, std::string_view option,
                                  std::span<const std::string_view> names, Diags& diags) {
  if (!arguments.has(option)) return std::nullopt;
  return parse_dtype(names[arguments.choice(option, names, diags)]);
}

std::optional<Tiling> tiling_option(const Arguments& arguments, Diags& diags) {
  if (!arguments.has("tiling")) return std::nullopt;
  const auto sides = parse_integers(arguments.text("tiling"));
  if (sides && sides->size() == 3 && *std::min_element(sides->begin(), sides->end()) > 0) {
    return Tiling{(*sides)[0], (*sides)[1], (*sides)[2]};
  }
  diags.push_back(error(fmt::format("--tiling wants three positive sides tm,tk,tn, not '{}'",
                                    arguments.text("tiling"))));
  return std::nullopt;
}

Precision precision_option(const Arguments& arguments, Diags& diags) {
  constexpr std::array<std::string_view, 3> words = {"default", "high", "highest"};
  return static_cast<Precision>(arguments.choice("precision", words, diags));
}

Fill fill_option(const Arguments& arguments, Diags& diags) {
  constexpr std::array<std::string_view, 3> words = {"normal", "uniform", "integers"};
  return static_cast<Fill>(arguments.choice("fill", words, diags));
}

}  // namespace tessera::cli
