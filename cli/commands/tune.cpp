// tune: measures the candidates of a problem. For gmm and tgmm without --tune, the device measures
// the candidates and the fastest is stored in a cache of configurations. Everything else is timed
// by the interpreter's model.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/args/problem.h"
#include "cli/args/run_options.h"
#include "cli/command.h"
#include "cli/operations/config_choice.h"
#include "cli/operations/tune_by_model.h"
#include "cli/reports/candidate_table.h"
#include "cli/reports/progress.h"
#include "cli/reports/report.h"
#include "core/report/try.h"
#include "devices/devices.h"
#include "kernels/tuning/device_tuning.h"
#include "text/numbers.h"

namespace tessera::cli {

Command tune_command();

namespace {

using Tuning = TuningResult<GroupedMatmulConfig>;

// Options of gmm and tgmm that affect neither the problem nor the device.
constexpr std::array<std::string_view, 14> not_taken = {
    "tiling", "buffers", "config", "explain",  "out",        "check",      "program",
    "fill",   "lhs",     "rhs",    "existing", "lhs-layout", "strict-sum", "sizes"};
constexpr std::array<std::string_view, 4> of_request = {"interpret", "device", "profile",
                                                        "max-memory"};

Options tune_options(GroupedKind kind) {
  Options options;
  for (const Option& option : problem_options(kind)) {
    if (std::find(not_taken.begin(), not_taken.end(), option.name) == not_taken.end())
      options.push_back(option);
  }
  for (const Option& option : run_options()) {
    if (std::find(of_request.begin(), of_request.end(), option.name) != of_request.end())
      options.push_back(option);
  }
  options.push_back({"backward", "", "time the call and both its gradients"});
  options.push_back({"all", "",
                     "afterwards time every candidate on the problem's own sizes, and compare the "
                     "chosen one with the best"});
  options.push_back(
      {"warmup", "N", "untimed runs before the timed runs, if times are measured; default 5"});
  options.push_back({"iters", "N", "runs that are timed; default 100"});
  options.push_back({"dry-run", "", "do not store the result"});
  options.push_back({"estimates", "",
                     "with --device cuda: list the candidates with the times that the model "
                     "expects and measure nothing; needs no GPU"});
  return options;
}

GroupedKind kind_of(const std::vector<std::string>& words) {
  const bool is_tgmm = std::find(words.begin(), words.end(), "tgmm") != words.end();
  return is_tgmm ? GroupedKind::tgmm : GroupedKind::gmm;
}

std::string shape_line(const GroupedTuningProblem& p) {
  const GroupedDesc& d = p.desc;
  return line("problem", fmt::format("{}, m {}, k {}, n {}, {}", p.algorithm(), d.m, d.k, d.n,
                                     counted(d.groups(), "group", "groups")));
}

Expected<TuneReport> estimate(GroupedKind kind, const Arguments& arguments) {
  const Expected<const Device*> device = find_device(arguments.text("device"));
  const bool has_model = device && !(*device)->time_model().empty();
  if (!has_model || arguments.has("interpret") || arguments.has("profile"))
    return error("--estimates uses the model of a GPU: add --device cuda");
  for (const std::string_view other : {"all", "backward", "warmup", "iters"}) {
    if (arguments.has(other))
      return error(fmt::format("--estimates measures nothing: omit --{}", other));
  }
  const Problem given = TRY(settled_problem(kind, arguments));
  if (Diags unread = arguments.unread(); !unread.empty()) return unread;
  RunRequest request;
  request.device = *device;
  const GroupedTuningProblem problem = tuning_problem(given, request);
  const Tuning tuning = expected_on_device(problem);
  const std::string machine = (*device)->time_model();
  TuneReport report{.has_times = false};
  report.object.update({{"estimated_for", machine}, {"candidates", candidates_json(tuning)}});
  report.text =
      shape_line(problem) +
      line("times",
           fmt::format("estimated by the model of {}; nothing is measured or stored", machine)) +
      candidate_lines(tuning);
  return report;
}

// Adds the times of all candidates on the problem's own sizes, and chosen time / best time.
Expected<void> add_comparison(TuneReport& report, const GroupedTuningProblem& problem,
                              const GroupedMatmulConfig& chosen, const Tuner& tuner) {
  const Tuning all = TRY(time_candidates(problem, tuner));
  double ratio = 0;
  for (const auto& candidate : all.candidates)
    if (candidate.config == chosen) ratio = candidate.seconds.value_or(0) / *all.winner().seconds;
  report.object.update({{"all", candidates_json(all)}, {"chosen_over_best", ratio}});
  report.text +=
      line("all", "every candidate on the problem's own sizes") + candidate_lines(all) +
      line("ratio", fmt::format("the chosen one takes {:.3f} times as long as the best", ratio));
  return {};
}

// Stores the winner in the user's cache, unless this is a dry run, and reports the file.
void keep(TuneReport& report, const CacheEntry& entry, bool is_dry) {
  std::string kept = "nothing: --dry-run";
  if (!is_dry) {
    const PersistentCache cache = PersistentCache::of_user();
    const Expected<void> stored = cache.store(entry);
    kept = stored ? fmt::format("{}/{}.json", cache.folder(), entry.key.id())
                  : stored.diags().front().message;
    if (!stored) report.status = Status::environment;
  }
  report.object["kept"] = kept;
  report.text += line("kept", kept);
}

Expected<Tuner> asked_tuner(const Arguments& arguments, const RunRequest& request) {
  Diags diags;
  Tuner tuner;
  tuner.warmup = static_cast<int>(arguments.integer("warmup", diags, 0, 1'000'000).value_or(5));
  tuner.iters = static_cast<int>(arguments.integer("iters", diags, 1, 1'000'000).value_or(100));
  if (!diags.empty()) return diags;
  if (request.is_simulated() && (arguments.has("warmup") || arguments.has("iters")))
    return error(
        "--warmup and --iters repeat measurements, and the interpreter's time is simulated: leave "
        "them out");
  return tuner;
}

Expected<TuneReport> tune_by_cache(const Arguments& arguments) {
  const GroupedKind kind = kind_of(arguments.words());
  if (arguments.has("estimates")) return estimate(kind, arguments);
  const RunRequest request = TRY(run_request(arguments, false));
  const GroupedTuningProblem problem =
      tuning_problem(TRY(settled_problem(kind, arguments)), request);
  const Tuner tuner = TRY(asked_tuner(arguments, request));
  const OperationKey key = grouped_key(problem);
  const std::string measure = measure_name(problem);
  AutotunePolicy policy;
  policy.validate_backward = arguments.has("backward");
  const Tuning tuning = TRY(tune_grouped(problem, policy, tuner));
  const auto& winner = tuning.winner();
  TuneReport report;
  report.object.update({{"key", key.text()},
                        {"id", key.id()},
                        {"measure", measure},
                        {"config", config_json(winner.config)},
                        {"seconds", *winner.seconds},
                        {"candidates", candidates_json(tuning)}});
  report.text = shape_line(problem) + line("key", key.text()) + line("", key.call) +
                line("times", fmt::format("{}, representative sizes", measure)) +
                candidate_lines(tuning) + chosen_line(tuning);
  if (arguments.has("all")) TRY(add_comparison(report, problem, winner.config, tuner));
  keep(report, {key, to_json(winner.config), "autotune", *winner.seconds, measure},
       arguments.has("dry-run"));
  return report;
}

// Returns the operation named by one of the words after `tune`, else `run`, which takes a file or a
// kernel.
Command tuned_command(const std::vector<std::string>& words) {
  Command fallback;
  for (const Command& command : commands()) {
    if (command.prepare == nullptr) continue;
    if (std::find(words.begin(), words.end(), command.name) != words.end()) return command;
    if (command.name == "run") fallback = command;
  }
  return fallback;
}

// True for gmm and tgmm without --tune: the device provides the candidates, and the winner is
// cached.
bool is_by_cache(const Command& command, const std::vector<std::string>& words) {
  const auto names_parts = [](const std::string& word) {
    return word == "--tune" || word.starts_with("--tune=");
  };
  return (command.name == "gmm" || command.name == "tgmm") &&
         std::none_of(words.begin(), words.end(), names_parts);
}

int run(const Arguments& arguments, Console& console) {
  const Command command = tuned_command(arguments.words());
  const auto begin = std::chrono::steady_clock::now();
  Progress::phase(console, "timing candidates");
  Expected<TuneReport> report = is_by_cache(command, arguments.given())
                                    ? tune_by_cache(arguments)
                                    : tune_by_model(command, arguments);
  Progress::phase(console, {});
  if (!report) return fail(console, report.diags());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  report->object["status"] = name(report->status);
  report->object["wall_seconds"] = seconds;
  if (console.prints_json()) print(console, report->object);
  if (console.prints_text())
    console.out << report->text << (report->has_times ? line("time", human_seconds(seconds)) : "");
  return exit_code(report->status);
}

Command resolved(const std::vector<std::string>& args) {
  Command command = tune_command();
  const std::vector<std::string> words(args.begin() + 1, args.end());
  // A call with only options, such as --help, names no operation and gets the options of gmm.
  const bool is_for_all = std::all_of(
      words.begin(), words.end(), [](const std::string& word) { return word.starts_with('-'); });
  if (const Command tuned = tuned_command(words); !is_for_all && !is_by_cache(tuned, words)) {
    command.options = model_options(tuned);
  } else {
    command.options = tune_options(kind_of(args));
    command.options.push_back(tune_option());
  }
  return command;
}

}  // namespace

Command tune_command() {
  return {"tune",
          "OPERATION|FILE.tsr|KERNEL",
          "time the candidate tilings of a problem; for gmm and tgmm the fastest is stored for "
          "later runs",
          "  gmm-run tune gmm --m 4096 --groups 8 --group-sizes zipf:1.2 --k 1024 --n 1024\n"
          "  gmm-run tune gmm --group-sizes 1000,24 --k 512 --n 512 --profile v6e --all\n"
          "  gmm-run tune tgmm --m 4096 --groups 8 --k 1024 --n 1024 --device cuda\n"
          "  gmm-run tune gmm --m 65536 --groups 8 --k 4096 --n 4096 --device cuda --estimates\n"
          "  gmm-run tune ag-matmul --devices 4 --m 512 --k 1024 --n 256 --tune tm=64,128,256\n"
          "  gmm-run tune my_kernel.tsr --set m=512 --tune tm=64,128,256 --tune buffers=2,3\n",
          tune_options(GroupedKind::gmm),
          run,
          nullptr,
          resolved};
}

}  // namespace tessera::cli
