#include "cli/operations/tune_by_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <string_view>
#include <utility>

#include "cli/args/profile_options.h"
#include "cli/args/source_file.h"
#include "cli/operations/modelled_time.h"
#include "cli/operations/tune_axes.h"
#include "cli/reports/progress.h"
#include "cli/reports/report.h"
#include "core/report/try.h"
#include "devices/devices.h"
#include "kernels/tuning/tuner.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

using ModelTuning = TuningResult<TuningCandidate>;

struct ModelTuned {
  Invocation line;  // the command, without --tune
  Invocation best;  // with the winner
  std::string measure;
  ModelTuning tuning;  // the first candidate is the command as it is
  double wall_seconds = 0;
};

// The command line that `tune` was asked about: `gmm ...`, or `run FILE ...`.
Invocation tuned_line(const Command& command, const Arguments& arguments) {
  Invocation line{std::string(command.name), {}};
  for (const Invocation::Option& option : arguments.invocation().options) {
    const bool is_word = option.name.empty() && command.name != "run";
    if (!is_word && option.name != "tune" && option.name != "json") line.options.push_back(option);
  }
  return line.has("interpret") || line.has("device") ? line : line.with("interpret");
}

// The candidates of an operation whose caller names no parts.
std::vector<TuningCandidate> usual_candidates(const Command& command, const Invocation& line,
                                              const Profile& profile) {
  std::vector<TuningCandidate> result;
  for (const Tiling& tiling : usual_tilings(line, profile)) {
    TuningCandidate candidate;
    for (const std::string_view side : tile_option(command).sides)
      candidate.values.emplace_back(side, side_of(tiling, side));
    if (std::find(result.begin(), result.end(), candidate) == result.end())
      result.push_back(std::move(candidate));
  }
  return result;
}

// Of a program: what --tune says of its parameters.
Expected<std::vector<TuningCandidate>> program_candidates(const Invocation& line,
                                                          const Arguments& arguments,
                                                          const std::vector<TuningAxis>& axes) {
  const auto module = TRY(open_program(arguments.words().front()));
  const KernelInfo& kernel = *TRY(choose_kernel(*module, arguments));
  std::vector<std::string> tuning;
  for (const ParameterInfo& parameter : kernel.parameters)
    if (parameter.kind == ParameterInfo::Kind::tuning) tuning.push_back(parameter.name);
  if (axes.empty() && tuning.empty())
    return error(
        fmt::format("{} has nothing to tune: no parameter stands behind the `;` of its "
                    "head; --tune NAME=V1,V2 tries another one",
                    kernel.name));
  if (axes.empty())
    return error(fmt::format("--tune NAME=V1,V2 says what is tried of {}, which is tuned by {}",
                             kernel.name, fmt::join(tuning, ", ")));
  TRY(check_parameters(kernel, line, axes));
  return combinations(axes);
}

// Of an operation: what --tune says of its parts, else the usual tiles.
Expected<std::vector<TuningCandidate>> operation_candidates(const Command& command,
                                                            const Invocation& line,
                                                            const std::vector<TuningAxis>& axes,
                                                            const Profile& profile) {
  const std::vector<std::string_view> parts = tunable_parts(command);
  if (parts.empty())
    return error(ErrorCode::unsupported,
                 fmt::format("{} has nothing to tune: its options choose neither a tile nor slots. "
                             "A program of its own is tuned by its parameters: gmm-run tune "
                             "KERNEL --tune NAME=V1,V2",
                             command.name));
  if (axes.empty() && tile_option(command).sides.empty())
    return error(fmt::format("--tune NAME=V1,V2 says what is tried of {}, which is tuned by {}",
                             command.name, fmt::join(parts, ", ")));
  TRY(check_parts(command, line, axes));
  return axes.empty() ? usual_candidates(command, line, profile) : combinations(axes);
}

Expected<ModelTuned> tuned_by_model(const Command& command, const Arguments& arguments) {
  if (const std::string_view device = arguments.text("device");
      !device.empty() && device != simulated_device().name())
    return error(ErrorCode::unsupported,
                 fmt::format("{} is tuned by the model of the interpreter's machines, not on {}",
                             arguments.words().front(), device));
  ModelTuned result;
  result.line = tuned_line(command, arguments);
  const Profile profile =
      TRY(chosen_profile(arguments, arguments.text("profile", default_profile)));
  result.measure = simulated_device().clock({.profile = profile.machine});
  const std::vector<TuningAxis> axes = TRY(tuning_axes(arguments));
  std::vector<TuningCandidate> candidates =
      TRY(command.name == "run" ? program_candidates(result.line, arguments, axes)
                                : operation_candidates(command, result.line, axes, profile));
  candidates.insert(candidates.begin(), TuningCandidate());
  const Expected<Prepared> standard = prepared_for_model(command, result.line, &arguments);
  if (!standard && axes.empty()) return standard.diags();
  if (Diags unread = arguments.unread(); standard && !unread.empty()) return unread;
  const std::vector<std::string> sides =
      standard_sides(command, standard ? &*standard : nullptr, profile.tiling);
  const auto measured = [&](const TuningCandidate& candidate) -> Expected<double> {
    const Invocation line = with_candidate(command, result.line, sides, candidate);
    return modelled_seconds(TRY(prepared_for_model(command, line, &arguments)));
  };
  Diags last;  // errors of the candidate that failed last
  const Expected<ModelTuning> tuning =
      Tuner::tune<TuningCandidate>(candidates, [&](const TuningCandidate& candidate) {
        Expected<double> seconds = measured(candidate);
        if (!seconds) last = seconds.diags();
        return seconds;
      });
  // An error of the command itself is reported with its places.
  if (!tuning && !standard && last.front().message == standard.diags().front().message)
    return standard.diags();
  result.tuning = TRY(tuning);
  const auto& timed = result.tuning.candidates;
  if (std::none_of(timed.begin() + 1, timed.end(),
                   [](const auto& candidate) { return candidate.seconds.has_value(); }))
    return error(ErrorCode::runtime,
                 fmt::format("All candidates failed during autotune: {}", timed.back().skipped));
  result.best = with_candidate(command, result.line, sides, result.tuning.winner().config);
  return result;
}

void print_text(Console& console, const ModelTuned& tuned) {
  const auto& winner = tuned.tuning.winner();
  std::size_t width = 28;
  for (const auto& candidate : tuned.tuning.candidates)
    width = std::max(width, describe(candidate.config).size() + 2);
  console.out << line("command", tuned.line.line());
  console.out << line("times", tuned.measure);
  for (std::size_t i = 0; i < tuned.tuning.candidates.size(); ++i) {
    const auto& candidate = tuned.tuning.candidates[i];
    console.out << fmt::format(
        "  {:<{}}{}{}\n", describe(candidate.config), width,
        candidate.seconds ? human_seconds(*candidate.seconds) : "skipped: " + candidate.skipped,
        i == tuned.tuning.best ? "  *" : "");
  }
  console.out << line(
      "chosen", fmt::format("{}, {}", describe(winner.config), human_seconds(*winner.seconds)));
  if (const auto& standard = tuned.tuning.candidates.front().seconds;
      standard && tuned.tuning.best > 0)
    console.out << line("default",
                        fmt::format("{}, {:.3g} of the chosen one's", human_seconds(*standard),
                                    *standard / *winner.seconds));
  console.out << line("use", tuned.best.line());
  console.out << line("time", human_seconds(tuned.wall_seconds));
}

Json values_json(const TuningCandidate& candidate) {
  Json object = Json::object();
  for (const auto& [name, value] : candidate.values) {
    const std::optional<std::int64_t> number = parse_integer(value);
    object[name] = number ? Json(*number) : Json(value);
  }
  return object;
}

Json model_json(const ModelTuned& tuned) {
  const auto& winner = tuned.tuning.winner();
  const std::optional<double>& standard = tuned.tuning.candidates.front().seconds;
  Json object = {{"status", "ok"},
                 {"command", tuned.line.line()},
                 {"measure", tuned.measure},
                 {"config", values_json(winner.config)},
                 {"seconds", *winner.seconds},
                 {"default_seconds", standard ? Json(*standard) : Json()},
                 {"candidates", Json::array()},
                 {"use", tuned.best.line()},
                 {"wall_seconds", tuned.wall_seconds}};
  for (const auto& candidate : tuned.tuning.candidates) {
    Json row = {{"config", values_json(candidate.config)},
                {"seconds", candidate.seconds ? Json(*candidate.seconds) : Json()}};
    if (!candidate.skipped.empty()) row["skipped"] = candidate.skipped;
    object["candidates"].push_back(row);
  }
  return object;
}

}  // namespace

Option tune_option() {
  return {"tune", "NAME=V1,V2,...",
          "values to try, all combinations, by the model: of a side of the tile (tm tk tn), of "
          "buffers, of a program's parameter",
          true};
}

Options model_options(const Command& command) {
  Options options;
  for (const Option& option : command.options)
    if (!is_idle_in_model(option.name)) options.push_back(option);
  options.push_back(tune_option());
  return options;
}

int tune_by_model(const Command& command, const Arguments& arguments, Console& console) {
  const auto begin = std::chrono::steady_clock::now();
  Progress::phase("timing candidates");
  Expected<ModelTuned> tuned = tuned_by_model(command, arguments);
  Progress::phase({});
  if (!tuned) return fail(console, tuned.diags());
  tuned->wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (console.tells_object()) print(console, model_json(*tuned));
  if (console.tells_people()) print_text(console, *tuned);
  return 0;
}

}  // namespace tessera::cli
