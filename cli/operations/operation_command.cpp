#include "cli/operations/operation_command.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <ostream>
#include <utility>

#include "cli/args/operation_options.h"
#include "cli/debug/dumps.h"
#include "cli/operations/modelled_time.h"
#include "cli/operations/operation_report.h"
#include "cli/operations/output_files.h"
#include "cli/reports/node_check_text.h"
#include "cli/reports/observation.h"
#include "cli/reports/progress.h"
#include "cli/reports/report.h"
#include "core/report/try.h"
#include "devices/teams.h"
#include "kernels/launch/config_request.h"

namespace tessera::cli {
namespace {

// Chooses the check of the result; adds an error if the requested check is not possible.
Check choose_check(const Arguments& arguments, const OperationCall& call, Diags& diags) {
  constexpr std::array<std::string_view, 3> words = {"full", "sample", "none"};
  const Check given = static_cast<Check>(arguments.choice("check", words, diags));
  if (call.request.options.math == Math::none) {
    if (arguments.has("check") && given != Check::none)
      diags.push_back(error("--check compares values, and --no-math computes none"));
    return Check::none;
  }
  if (call.request.device == nullptr) {
    if (arguments.has("check") && given != Check::none)
      diags.push_back(error("--check compares with the reference, and this is the reference"));
    return Check::none;
  }
  if (arguments.has("check")) return given;
  return default_check(static_cast<double>(call.flops));
}

struct Opened {
  OperationCall call;
  OutputFiles files;
  Dumps dumps;
};

// Opens the result files before operands are filled.
Expected<Opened> open_call(PrepareOperation prepare, const Arguments& arguments) {
  OutputFiles files = TRY(OutputFiles::open(arguments));
  Dumps dumps = TRY(Dumps::open(arguments));
  OperationCall call = TRY(prepare(arguments));
  TRY(files.settle(call));
  return Opened{std::move(call), std::move(files), std::move(dumps)};
}

Expected<OperationOutcome> perform(const OperationCall& call, const RunOptions& options,
                                   Check check, const Console& console) {
  Progress::phase(console, "running");
  Expected<OperationRun> run = call.launch(options);
  if (!run) return run.diags();
  OperationOutcome outcome{status_of(run->report), *std::move(run), {}, {}};
  if (outcome.status != Status::ok || check == Check::none || !has_results_of(call.request.device))
    return outcome;
  CheckOptions how;
  how.check = check;
  how.seed = call.seed;
  how.sum_error = outcome.run.report.sum_error;
  how.values = call.values.known();
  outcome.verdict = judged(console, [&] { return call.judge(outcome.run, how); });
  if (!outcome.verdict) outcome.status = Status::interrupted;
  if (!outcome.verdict || outcome.verdict->ok) return outcome;
  outcome.status = Status::mismatch;
  outcome.mismatch = mismatch_of(*outcome.verdict, outcome.run);
  return outcome;
}

// Starts the run for launch_of(), which records it instead of executing it.
Expected<void> begin(const OperationCall& call, const RunOptions& options) {
  if (call.simulate)
    TRY(call.simulate(options));
  else
    TRY(call.launch(options));
  return {};
}

// Fails if an option requires a single launch and the call makes several.
Expected<void> check_launches(const Arguments& arguments, const OperationCall& call) {
  for (const std::string_view option :
       {"trace", "timing", "cost", "timeline", "save-schedule", "dump"})
    if (call.launches > 1 && arguments.was_given(option))
      return error(fmt::format(
          "--{} requires a single launch, and this call makes {}: one for each group with rows",
          option, call.launches));
  return {};
}

}  // namespace

int run_operation(PrepareOperation prepare, const Arguments& arguments, Console& console) {
  Expected<Opened> opened = open_call(prepare, arguments);
  if (!opened) return fail(console, opened.diags());
  const OperationCall* const call = &opened->call;
  if (const Expected<void> can = check_launches(arguments, *call); !can)
    return fail(console, can.diags());
  Diags diags;
  const Check check = choose_check(arguments, *call, diags);
  const bool explains = arguments.has("explain");
  if (diags.empty()) diags = arguments.unread();
  if (!diags.empty()) return fail(console, diags);

  Dumps& dumps = opened->dumps;
  const Expected<void> dumped = dumps.write(
      call->request.options, [&](const RunOptions& options) { return begin(*call, options); });
  if (!dumped) return fail(console, dumped.diags());
  diags = dumps.unwritten();
  Observation observation(call->request, console);
  Expected<OperationOutcome> outcome = perform(*call, observation.options(), check, console);
  if (!outcome) return fail(console, outcome.diags());
  collect(diags, observation.finish());
  if (outcome->status == Status::ok)
    if (std::optional<std::string> note = faster_tile(*call, outcome->run, arguments.files()))
      outcome->run.notes.push_back(*std::move(note));
  const DeviceReport& ran = outcome->run.report;
  if (const Expected<void> checked = require_node_check(call->request, ran); !checked)
    return fail(console, checked.diags());
  collect(diags, save_schedule(call->request, ran));
  if (has_results(ran) && has_results_of(call->request.device)) {
    for (const Diag& unsaved : opened->files.write(*call, outcome->run)) diags.push_back(unsaved);
  }
  return report(
      console, outcome->status, diags,
      [&] {
        Json object = report_json(arguments, *call, *outcome, explains);
        if (!dumps.empty()) object["dumps"] = dumps.json();
        return object;
      },
      [&] { console.out << report_lines(arguments, *call, *outcome, explains) << dumps.lines(); });
}

Expected<Prepared> verifiable_operation(PrepareOperation prepare, const Arguments& arguments) {
  Expected<OperationCall> call = prepare(arguments);
  if (!call) return call.diags();
  if (call->launches > 1)
    return error(
        ErrorCode::unsupported,
        fmt::format(
            "a proof covers a single launch, and this call makes {}: one for each group with rows; "
            "verify one group, or use --path v2 if one kernel supports all groups",
            call->launches));
  Prepared prepared{call->request, call->title, call->simulate};
  prepared.sides = call->sides;
  if (prepared.simulate) return prepared;
  prepared.simulate = [call = std::make_shared<const OperationCall>(*std::move(call))](
                          const RunOptions& options) -> Expected<RunResult> {
    const Expected<OperationRun> run = call->launch(options);
    if (!run) return run.diags();
    if (!run->report.simulated)
      return error(ErrorCode::unsupported, "this call runs nothing that can be verified");
    return *run->report.simulated;
  };
  return prepared;
}

OperationRun operation_run(GroupedMatmulRun run, std::int64_t buffers) {
  OperationRun result;
  result.report = std::move(run.report);
  result.kernel = std::move(run.kernel);
  result.notes = std::move(run.notes);
  result.result_place = run.result_place;
  result.results = {std::make_shared<const Tensor>(std::move(run.out))};
  if (run.device == reference_device) return result;
  result.tiling = run.tiling;
  result.tuning = {{"tm", std::to_string(run.tiling.m)},
                   {"tk", std::to_string(run.tiling.k)},
                   {"tn", std::to_string(run.tiling.n)},
                   {"buffers", std::to_string(buffers)}};
  return result;
}

}  // namespace tessera::cli
