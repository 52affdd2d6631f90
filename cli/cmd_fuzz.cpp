// fuzz: random cases of the operations on the interpreter, compared with the reference.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/fuzz_case.h"
#include "cli/progress.h"
#include "cli/source_file.h"
#include "cli/text.h"

namespace tessera::cli {
namespace {

constexpr std::int64_t default_cases = 200;
constexpr int shrink_attempts = 2000;
constexpr std::size_t enough_failures = 10;

struct Plan {
  std::int64_t first = 0;
  std::int64_t cases = default_cases;  // at most
  double seconds = 0;                  // 0: as long as it takes
  std::uint64_t seed = 0;
  std::optional<Operation> only;
};

struct Found {
  std::int64_t index;
  FuzzCase smallest;
  Failure failure;
  std::string command;
  std::string file;
};

Expected<Plan> plan_of(const Arguments& arguments) {
  constexpr std::array<std::string_view, 2> operations = {"gmm", "tgmm"};
  Plan plan;
  Diags diags;
  plan.seed = static_cast<std::uint64_t>(arguments.integer("seed", diags).value_or(0));
  plan.cases = arguments.integer("cases", diags, 1).value_or(default_cases);
  plan.first = arguments.integer("first", diags).value_or(0);
  if (arguments.has("op")) {
    plan.only = static_cast<Operation>(arguments.choice("op", operations, diags));
  }
  if (arguments.has("minutes")) {
    const std::string text(arguments.text("minutes"));
    char* end = nullptr;
    plan.seconds = std::strtod(text.c_str(), &end) * 60;
    if (text.empty() || *end != '\0' || !(plan.seconds > 0) || std::isinf(plan.seconds)) {
      diags.push_back(error(fmt::format("--minutes wants a positive number, not '{}'", text)));
    }
    if (arguments.has("cases")) {
      diags.push_back(error("--cases and --minutes both say how long: give one"));
    }
    plan.cases = INT64_MAX;
  }
  if (!diags.empty()) return diags;
  return plan;
}

// Small, with its command, and as a file beside which one can go on.
Expected<Found> report_failure(std::int64_t index, const FuzzCase& a_case, const Failure& failure,
                               const Plan& plan) {
  Found found{index, shrink(a_case, failure, try_case, shrink_attempts), failure, {}, {}};
  if (std::optional<Failure> smaller = try_case(found.smallest)) {
    found.failure = *std::move(smaller);
  }
  std::vector<std::string> words = to_words(found.smallest);
  words.insert(words.begin(), "gmm-run");
  found.command = shell_line(words);
  found.file = fmt::format("fuzz_{}_{}.tsr", plan.seed, index);
  const Expected<std::string> text = as_program(found.smallest, found.failure);
  if (!text) return text.diags();
  const Diags unwritten = write_text(found.file, *text);
  if (!unwritten.empty()) return unwritten;
  return found;
}

void print_report(Console& console, const Plan& plan, std::int64_t cases,
                  const std::vector<Found>& failures, double seconds) {
  if (!console.json) {
    for (const Found& found : failures) {
      console.out << fmt::format("case {}: {}: {}\n  {}\n  {}\n", found.index, found.failure.kind,
                                 found.failure.message, found.command, found.file);
    }
    console.out << fmt::format(
        "{} of seed {}, {}, {}, {:.0f} cases a second\n", counted(cases, "case", "cases"),
        plan.seed, counted(static_cast<std::int64_t>(failures.size()), "failure", "failures"),
        human_seconds(seconds), static_cast<double>(cases) / seconds);
    return;
  }
  Json object = {{"status", name(failures.empty() ? Status::ok : Status::finding)},
                 {"seed", plan.seed},
                 {"cases", cases},
                 {"failures", Json::array()}};
  for (const Found& found : failures) {
    object["failures"].push_back({{"index", found.index},
                                  {"kind", found.failure.kind},
                                  {"message", found.failure.message},
                                  {"command", found.command},
                                  {"file", found.file}});
  }
  object["wall_seconds"] = seconds;
  print(console, object);
}

int run(const Arguments& arguments, Console& console) {
  const Expected<Plan> plan = plan_of(arguments);
  if (!plan) return fail(console, plan.diags());
  Progress progress(console);
  std::vector<Found> failures;
  std::int64_t cases = 0;
  for (; cases < plan->cases && failures.size() < enough_failures; ++cases) {
    if (plan->seconds > 0 && progress.elapsed() >= plan->seconds) break;
    if (progress.is_due()) {
      progress.show(fmt::format("fuzz: {} cases, {} failures, {:.0f} s", cases, failures.size(),
                                progress.elapsed()));
    }
    const std::int64_t index = plan->first + cases;
    const FuzzCase a_case = draw_case(plan->seed, index, plan->only);
    const std::optional<Failure> failure = try_case(a_case);
    if (!failure) continue;
    Expected<Found> found = report_failure(index, a_case, *failure, *plan);
    if (!found) return fail(console, found.diags());
    failures.push_back(*std::move(found));
  }
  print_report(console, *plan, cases, failures, progress.elapsed());
  return exit_code(failures.empty() ? Status::ok : Status::finding);
}

}  // namespace

Command fuzz_command() {
  return {"fuzz",
          "",
          "random cases of gmm and tgmm against the reference; failures are made small",
          "  gmm-run fuzz --cases 1000\n"
          "  gmm-run fuzz --minutes 10 --seed 7 --op tgmm\n",
          {{"cases", "N", "how many cases; default 200"},
           {"minutes", "M", "as many cases as fit into this time"},
           {"seed", "N", "case I of a seed is always the same; default 0"},
           {"first", "I", "the first case; default 0"},
           {"op", "gmm|tgmm", "only this operation"}},
          run};
}

}  // namespace tessera::cli
