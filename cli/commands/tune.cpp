// tune: measures the candidates of a problem and keeps the fastest. gmm and tgmm have a cache of
// configurations and are measured wherever they run; all else is timed by the interpreter's model.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/args/given.h"
#include "cli/args/run_options.h"
#include "cli/command.h"
#include "cli/operations/config_choice.h"
#include "cli/operations/tune_by_model.h"
#include "cli/reports/progress.h"
#include "cli/reports/report.h"
#include "devices/devices.h"
#include "kernels/tuning/device_tuning.h"
#include "text/numbers.h"

namespace tessera::cli {

Command tune_command();

namespace {

using Tuning = TuningResult<GroupedMatmulConfig>;

// Options of gmm and tgmm that say nothing of the problem or where it runs.
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
                     "afterwards time every candidate on the problem's own sizes, and "
                     "say how far the chosen one is from the best"});
  options.push_back(
      {"warmup", "N",
       "runs that are not timed, before those that are, where a clock measures; default 5"});
  options.push_back({"iters", "N", "runs that are timed; default 100"});
  options.push_back({"dry-run", "", "keep nothing"});
  options.push_back({"estimates", "",
                     "with --device cuda: list the candidates with the times that the model "
                     "expects and measure nothing; needs no GPU"});
  return options;
}

GroupedKind kind_of(const std::vector<std::string>& words) {
  const bool is_tgmm = std::find(words.begin(), words.end(), "tgmm") != words.end();
  return is_tgmm ? GroupedKind::tgmm : GroupedKind::gmm;
}

// What the chosen candidate costs beside the best, each timed on the sizes as they are given.
struct Comparison {
  Tuning all;
  double chosen = 0;  // seconds
  double ratio() const { return chosen / *all.winner().seconds; }
};

Expected<Comparison> compare(const GroupedTuningProblem& problem, const GroupedMatmulConfig& chosen,
                             const Tuner& tuner) {
  Expected<Tuning> all = time_candidates(problem, tuner);
  if (!all) return all.diags();
  Comparison comparison{*std::move(all), 0};
  for (const auto& candidate : comparison.all.candidates) {
    if (candidate.config == chosen) comparison.chosen = candidate.seconds.value_or(0);
  }
  return comparison;
}

struct Tuned {
  bool is_estimate = false;  // the model's times, and nothing measured or kept
  GroupedTuningProblem problem;
  OperationKey key;
  Tuning tuning;
  std::optional<Comparison> comparison;
  std::string kept;  // the file, or why there is none
  Diags unkept;      // what kept it from being written
  double wall_seconds = 0;
};

std::string shape_text(const GroupedTuningProblem& p) {
  const GroupedDesc& d = p.desc;
  return fmt::format("{}, m {}, k {}, n {}, {}", p.algorithm(), d.m, d.k, d.n,
                     counted(d.groups(), "group", "groups"));
}

void print_estimates(Console& console, const Tuned& tuned) {
  console.out << line("problem", shape_text(tuned.problem));
  console.out << line("times",
                      fmt::format("as the model expects of {}; nothing is measured or kept",
                                  tuned.problem.device()->modelled()));
  console.out << candidate_lines(tuned.tuning);
}

void print_report(Console& console, const Tuned& tuned) {
  const auto& winner = tuned.tuning.winner();
  console.out << line("problem", shape_text(tuned.problem));
  console.out << line("key", tuned.key.text());
  console.out << line("", tuned.key.call);
  console.out << line("times",
                      fmt::format("{}, representative sizes", measure_name(tuned.problem)));
  console.out << candidate_lines(tuned.tuning);
  console.out << line(
      "chosen", fmt::format("{}, {}", describe(winner.config), human_seconds(*winner.seconds)));
  if (tuned.comparison) {
    console.out << line("all", "every candidate on the problem's own sizes");
    console.out << candidate_lines(tuned.comparison->all);
    console.out << line("ratio",
                        fmt::format("the chosen one takes {:.3f} times as long as the best",
                                    tuned.comparison->ratio()));
  }
  console.out << line("kept", tuned.kept);
  console.out << line("time", human_seconds(tuned.wall_seconds));
}

Json report_json(const Tuned& tuned) {
  if (tuned.is_estimate) {
    return {{"status", "ok"},
            {"estimated_for", tuned.problem.device()->modelled()},
            {"candidates", to_json(tuned.tuning)},
            {"wall_seconds", tuned.wall_seconds}};
  }
  const auto& winner = tuned.tuning.winner();
  Json object = {{"status", tuned.unkept.empty() ? "ok" : "environment"},
                 {"key", tuned.key.text()},
                 {"id", tuned.key.id()},
                 {"measure", measure_name(tuned.problem)},
                 {"config", Json::parse(to_json(winner.config))},
                 {"seconds", *winner.seconds},
                 {"candidates", to_json(tuned.tuning)}};
  if (tuned.comparison) {
    object["all"] = to_json(tuned.comparison->all);
    object["chosen_over_best"] = tuned.comparison->ratio();
  }
  object["kept"] = tuned.kept;
  object["wall_seconds"] = tuned.wall_seconds;
  return object;
}

Expected<Tuned> estimate(const Asked& what, const Arguments& arguments) {
  const Expected<const Device*> device = find_device(arguments.text("device"));
  const bool has_model = device && !(*device)->modelled().empty();
  if (!has_model || arguments.has("interpret") || arguments.has("profile"))
    return error("--estimates asks the model of a GPU: give --device cuda, too");
  for (const std::string_view other : {"all", "backward", "warmup", "iters"}) {
    if (arguments.has(other))
      return error(fmt::format("--estimates measures nothing: leave out --{}", other));
  }
  const Expected<Problem> problem = settled_problem(what);
  if (!problem) return problem.diags();
  if (Diags unread = arguments.unread(); !unread.empty()) return unread;
  RunRequest request;
  request.device = *device;
  Tuned tuned;
  tuned.is_estimate = true;
  tuned.problem = tuning_problem(*problem, request);
  tuned.tuning = expected_on_device(tuned.problem);
  return tuned;
}

Expected<Tuned> tune(const Arguments& arguments) {
  const GroupedKind kind = kind_of(arguments.words());
  const Expected<Asked> what = asked(kind, arguments);
  if (!what) return what.diags();
  if (arguments.has("estimates")) return estimate(*what, arguments);
  const Expected<RunRequest> request = run_request(arguments, false);
  if (!request) return request.diags();
  const Expected<Problem> problem = settled_problem(*what);
  if (!problem) return problem.diags();
  Diags diags;
  Tuner tuner;
  tuner.warmup = static_cast<int>(arguments.integer("warmup", diags, 0, 1'000'000).value_or(5));
  tuner.iters = static_cast<int>(arguments.integer("iters", diags, 1, 1'000'000).value_or(100));
  if (!diags.empty()) return diags;
  if (request->is_simulated() && (arguments.has("warmup") || arguments.has("iters")))
    return error(
        "--warmup and --iters repeat measurements, and the interpreter's time is simulated: leave "
        "them out");

  Tuned tuned;
  tuned.problem = tuning_problem(*problem, *request);
  tuned.key = grouped_key(tuned.problem);
  AutotunePolicy policy;
  policy.validate_backward = arguments.has("backward");
  Expected<Tuning> tuning = tune_grouped(tuned.problem, policy, tuner);
  if (!tuning) return tuning.diags();
  tuned.tuning = *std::move(tuning);
  const auto& winner = tuned.tuning.winner();
  if (arguments.has("all")) {
    Expected<Comparison> comparison = compare(tuned.problem, winner.config, tuner);
    if (!comparison) return comparison.diags();
    tuned.comparison = *std::move(comparison);
  }
  if (arguments.has("dry-run")) {
    tuned.kept = "nothing: --dry-run";
    return tuned;
  }
  const PersistentCache cache = PersistentCache::of_user();
  collect(tuned.unkept, cache.store({tuned.key, to_json(winner.config), "autotune", *winner.seconds,
                                     measure_name(tuned.problem)}));
  tuned.kept = tuned.unkept.empty() ? fmt::format("{}/{}.json", cache.folder(), tuned.key.id())
                                    : tuned.unkept.front().message;
  return tuned;
}

// Of the words behind `tune`: the operation that one of them names, else `run`, which takes a file
// or a kernel.
Command tuned_command(const std::vector<std::string>& words) {
  Command fallback;
  for (const Command& command : commands()) {
    if (command.prepare == nullptr) continue;
    if (std::find(words.begin(), words.end(), command.name) != words.end()) return command;
    if (command.name == "run") fallback = command;
  }
  return fallback;
}

// gmm and tgmm without --tune: the candidates are the device's, and the winner is kept.
bool is_by_cache(const Command& command, const std::vector<std::string>& words) {
  const auto names_parts = [](const std::string& word) {
    return word == "--tune" || word.starts_with("--tune=");
  };
  return (command.name == "gmm" || command.name == "tgmm") &&
         std::none_of(words.begin(), words.end(), names_parts);
}

int run(const Arguments& arguments, Console& console) {
  if (const Command command = tuned_command(arguments.words());
      !is_by_cache(command, arguments.given()))
    return tune_by_model(command, arguments, console);
  const auto begin = std::chrono::steady_clock::now();
  Progress::phase("timing candidates");
  Expected<Tuned> tuned = tune(arguments);
  Progress::phase({});
  if (!tuned) return fail(console, tuned.diags());
  tuned->wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (console.tells_object()) print(console, report_json(*tuned));
  if (console.tells_people()) {
    if (tuned->is_estimate)
      print_estimates(console, *tuned);
    else
      print_report(console, *tuned);
  }
  return tuned->unkept.empty() ? 0 : 3;
}

Command resolved(const std::vector<std::string>& args) {
  Command command = tune_command();
  const std::vector<std::string> words(args.begin() + 1, args.end());
  // A call for help names no operation: the options of gmm stand for all.
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
          "times the candidate tilings of a problem; of gmm and tgmm the fastest is kept for the "
          "next runs",
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
