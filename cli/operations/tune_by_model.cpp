#include "cli/operations/tune_by_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/args/profile_options.h"
#include "cli/args/source_file.h"
#include "cli/operations/modelled_time.h"
#include "cli/operations/tune_axes.h"
#include "cli/reports/candidate_table.h"
#include "core/report/try.h"
#include "devices/devices.h"
#include "kernels/tuning/tuner.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

// The command line to tune: `gmm ...`, or `run FILE ...`.
Invocation tuned_line(const Command& command, const Arguments& arguments) {
  Invocation line{std::string(command.name), {}};
  for (const Invocation::Option& option : arguments.invocation().options) {
    const bool is_word = option.name.empty() && command.name != "run";
    if (!is_word && option.name != "tune" && option.name != "json") line.options.push_back(option);
  }
  return line.has("interpret") || line.has("device") ? line : line.with("interpret");
}

// Candidates of a program: the parameter values of --tune.
Expected<std::vector<TuningCandidate>> program_candidates(const Invocation& line,
                                                          const Arguments& arguments,
                                                          const std::vector<TuningAxis>& axes) {
  const auto module = TRY(open_program(arguments.words().front(), arguments.files()));
  const KernelInfo& kernel = *TRY(choose_kernel(*module, arguments));
  std::vector<std::string> tuning;
  for (const ParameterInfo& parameter : kernel.parameters)
    if (parameter.kind == ParameterInfo::Kind::tuning) tuning.push_back(parameter.name);
  if (axes.empty() && tuning.empty())
    return error(
        fmt::format("{} has nothing to tune: its head has no parameter after the `;`; use --tune "
                    "NAME=V1,V2 for another parameter",
                    kernel.name));
  if (axes.empty())
    return error(fmt::format(
        "expected --tune NAME=V1,V2 with the values to try for {}, which is tuned by {}",
        kernel.name, fmt::join(tuning, ", ")));
  TRY(check_parameters(kernel, line, axes));
  return combinations(axes);
}

// Candidates of an operation: the values of --tune, otherwise the usual tiles.
Expected<std::vector<TuningCandidate>> operation_candidates(const Command& command,
                                                            const Invocation& line,
                                                            const std::vector<TuningAxis>& axes,
                                                            const Profile& profile) {
  const std::vector<std::string_view> parts = tunable_parts(command);
  if (parts.empty())
    return error(
        ErrorCode::unsupported,
        fmt::format("{} has nothing to tune: its options choose neither a tile nor slots; to tune "
                    "the parameters of a program: gmm-run tune KERNEL --tune NAME=V1,V2",
                    command.name));
  if (axes.empty() && tile_option(command).sides.empty())
    return error(fmt::format(
        "expected --tune NAME=V1,V2 with the values to try for {}, which is tuned by {}",
        command.name, fmt::join(parts, ", ")));
  TRY(check_parts(command, line, axes));
  return axes.empty() ? usual_candidates(command, line, profile) : combinations(axes);
}

// tuning: its first candidate is the unchanged command.
TuneReport report_of(const Invocation& command, const Invocation& best, const std::string& measure,
                     const ModelTuning& tuning) {
  const double seconds = *tuning.winner().seconds;
  const std::optional<double>& standard = tuning.candidates.front().seconds;
  TuneReport report;
  report.object.update({{"command", command.line()},
                        {"measure", measure},
                        {"config", config_json(tuning.winner().config)},
                        {"seconds", seconds},
                        {"default_seconds", standard ? Json(*standard) : Json()},
                        {"candidates", candidates_json(tuning)},
                        {"use", best.line()}});
  report.text = line("command", command.line()) + line("times", measure) + candidate_lines(tuning) +
                chosen_line(tuning);
  if (standard && tuning.best > 0)
    report.text += line("default", fmt::format("{}, {:.3g} times the chosen time",
                                               human_seconds(*standard), *standard / seconds));
  report.text += line("use", best.line());
  return report;
}

}  // namespace

Option tune_option() {
  return {"tune", "NAME=V1,V2,...",
          "values to try for a side of the tile (tm tk tn), for buffers or for a program's "
          "parameter; the model times all combinations",
          true};
}

Options model_options(const Command& command) {
  Options options;
  for (const Option& option : command.options)
    if (!is_idle_in_model(option.name)) options.push_back(option);
  options.push_back(tune_option());
  return options;
}

Expected<TuneReport> tune_by_model(const Command& command, const Arguments& arguments) {
  if (const std::string_view device = arguments.text("device");
      !device.empty() && device != simulated_device().name())
    return error(ErrorCode::unsupported,
                 fmt::format("{} is tuned by the model of the interpreter's machines, not on {}",
                             arguments.words().front(), device));
  const Invocation tuned = tuned_line(command, arguments);
  const Profile profile =
      TRY(chosen_profile(arguments, arguments.text("profile", default_profile)));
  const std::vector<TuningAxis> axes = TRY(tuning_axes(arguments));
  std::vector<TuningCandidate> candidates =
      TRY(command.name == "run" ? program_candidates(tuned, arguments, axes)
                                : operation_candidates(command, tuned, axes, profile));
  candidates.insert(candidates.begin(), TuningCandidate());
  const Expected<Prepared> standard =
      prepared_for_model(command, tuned, arguments.files(), &arguments);
  if (!standard && axes.empty()) return standard.diags();
  if (Diags unread = arguments.unread(); standard && !unread.empty()) return unread;
  const ModelTimes times{command, tuned,
                         standard_sides(command, standard ? &*standard : nullptr, profile.tiling),
                         arguments.files(), &arguments};
  const Expected<ModelTuning> tuning = times.of(candidates);
  if (!tuning && !standard) {
    // An error of the unchanged command is reported with its source locations.
    const Expected<Prepared> last = times.prepared(candidates.back());
    if (!last && last.diags().front().message == standard.diags().front().message)
      return standard.diags();
  }
  if (!tuning) return tuning.diags();
  const auto& timed = tuning->candidates;
  if (std::none_of(timed.begin() + 1, timed.end(),
                   [](const auto& candidate) { return candidate.seconds.has_value(); }))
    return error(ErrorCode::runtime,
                 fmt::format("All candidates failed during autotune: {}", timed.back().skipped));
  return report_of(tuned, times.line_of(tuning->winner().config),
                   simulated_device().time_source({.profile = profile.machine}), *tuning);
}

}  // namespace tessera::cli
