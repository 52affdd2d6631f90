#include "cli/operations/modelled_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/reports/timing_report.h"
#include "core/report/guarded.h"
#include "core/report/try.h"
#include "interp/run_result.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

constexpr std::array<std::string_view, 22> idle = {
    "timeline",  "out",      "check", "trace",         "save-schedule", "unchecked",
    "no-verify", "timing",   "cost",  "config",        "explain",       "loop-workers",
    "math",      "no-math",  "all",   "uninitialised", "tune",          "json",
    "precision", "outliers", "dump",  "prints"};

// Minimum ratio of the time to the best time for a note.
constexpr double far_from_best = 1.5;

Expected<std::optional<std::string>> faster_than(double seconds, const OperationCall& call,
                                                 Files* files) try {
  using Note = std::optional<std::string>;
  const Invocation& given = call.request.invocation;
  const std::vector<Command> known = commands();
  const auto command = std::find_if(known.begin(), known.end(), [&](const Command& candidate) {
    return candidate.name == given.command && candidate.prepare != nullptr;
  });
  const auto is_tiling = [](const Option& option) { return option.name == "tiling"; };
  if (command == known.end() ||
      std::none_of(command->options.begin(), command->options.end(), is_tiling))
    return Note();
  Invocation line{given.command, {}};
  for (const Invocation::Option& option : given.options)
    if (!is_idle_in_model(option.name)) line.options.push_back(option);
  const Profile& profile = call.request.profile;
  const ModelTimes times{*command, line, standard_sides(*command, nullptr, profile.tiling), files};
  const ModelTuning tuned = TRY(times.of(usual_candidates(*command, line, profile)));
  const double best = *tuned.winner().seconds;
  if (seconds <= far_from_best * best) return Note();
  return Note(fmt::format("a run takes {} by the model, and {} with --tiling {}",
                          human_seconds(seconds), human_seconds(best),
                          *times.line_of(tuned.winner().config).value("tiling")));
} catch (...) {
  return given_up("timing other tiles");
}

}  // namespace

bool is_idle_in_model(std::string_view option) {
  return std::find(idle.begin(), idle.end(), option) != idle.end();
}

Expected<Prepared> prepared_for_model(const Command& command, const Invocation& line, Files* files,
                                      const Arguments* read) {
  const Arguments own =
      TRY(parse_arguments(command.options, line.with("no-math").with("no-verify").words(), files));
  Expected<Prepared> result = command.prepare(own);
  if (read != nullptr) read->read_as(own);
  return result;
}

Expected<double> modelled_seconds(const Prepared& call) {
  TimingObserver observer(call.request.profile.rates);
  RunOptions options = call.request.options;
  options.math = Math::none;
  options.computes_values = false;
  options.observers = {&observer};
  const RunResult result = TRY(call.simulate(options));
  if (!result.findings.empty()) return error(result.findings.front().message);
  if (result.end != RunEnd::program)
    return error(fmt::format("the run ended after {} steps", result.stats.steps));
  if (!observer.timing().is_complete)
    return error(
        fmt::format("its time is unknown: {}", why_unknown_time(call.request.profile.machine)));
  return observer.timing().seconds;
}

Invocation ModelTimes::line_of(const TuningCandidate& candidate) const {
  return with_candidate(command, line, sides, candidate);
}

Expected<Prepared> ModelTimes::prepared(const TuningCandidate& candidate) const {
  return prepared_for_model(command, line_of(candidate), files, read);
}

Expected<ModelTuning> ModelTimes::of(const std::vector<TuningCandidate>& candidates) const {
  return Tuner::tune<TuningCandidate>(candidates,
                                      [&](const TuningCandidate& candidate) -> Expected<double> {
                                        return modelled_seconds(TRY(prepared(candidate)));
                                      });
}

std::optional<std::string> faster_tile(const OperationCall& call, const OperationRun& run,
                                       Files* files) {
  const RunRequest& request = call.request;
  const RunResult* const simulated = run.report.simulated.get();
  if (!request.timing || !request.timing->timing().is_complete || simulated == nullptr ||
      simulated->stats.steps > certified_events || request.invocation.has("tiling") ||
      request.invocation.has("config"))
    return std::nullopt;
  // Errors of the other tiles do not affect this run.
  const auto note = faster_than(request.timing->timing().seconds, call, files);
  return note ? *note : std::nullopt;
}

}  // namespace tessera::cli
