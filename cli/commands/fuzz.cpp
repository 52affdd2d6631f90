// fuzz: compares random calls of the operations on the interpreter with the reference.
#include "fuzz/fuzz.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/args/limits.h"
#include "cli/command.h"
#include "cli/operations/fuzz_tester.h"
#include "cli/reports/progress.h"
#include "core/host/output_file.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

constexpr std::int64_t default_cases = 200;
constexpr int shrink_attempts = 2000;
constexpr std::size_t enough_failures = 10;

struct Plan {
  std::int64_t first = 0;
  std::int64_t cases = default_cases;  // max number of cases
  double seconds = 0;                  // 0: no limit
  std::uint64_t seed = 0;
  std::string operation;  // empty: gmm and tgmm
};

struct Found {
  std::int64_t index;
  fuzz::Failure failure;
  std::string command;
  std::string file;      // empty: no file
  Diags unwritten = {};  // errors of writing the file
};

Expected<Plan> plan_of(const Arguments& arguments) {
  Plan plan;
  Diags diags;
  plan.seed = static_cast<std::uint64_t>(arguments.integer("seed", diags).value_or(0));
  plan.cases = arguments.integer("cases", diags, 1).value_or(default_cases);
  plan.first = arguments.integer("first", diags).value_or(0);
  if (arguments.has("op"))
    plan.operation = fuzz::operations()[arguments.choice("op", fuzz::operations(), diags)];
  if (arguments.has("minutes")) {
    const std::string text(arguments.text("minutes"));
    char* end = nullptr;
    plan.seconds = std::strtod(text.c_str(), &end) * 60;
    if (text.empty() || *end != '\0' || !(plan.seconds > 0) || std::isinf(plan.seconds)) {
      diags.push_back(
          error(fmt::format("--minutes: expected a positive number, found '{}'", text)));
    }
    if (arguments.has("cases")) {
      diags.push_back(error("--cases and --minutes both limit the run: use one of them"));
    }
    plan.cases = INT64_MAX;
  }
  if (!diags.empty()) return diags;
  return plan;
}

std::string case_file(std::int64_t index, const Plan& plan) {
  return fmt::format("fuzz_{}_{}.tsr", plan.seed, index);
}

// Runs one case. A failing case is reduced and reported with its command. If it runs a single
// kernel, a program file is written as a starting point for debugging.
Expected<std::optional<Found>> one_case(std::int64_t index, const Plan& plan,
                                        const ReadFiles* read) {
  using Result = std::optional<Found>;
  const Invocation a_case = fuzz::draw(plan.operation, plan.seed, index);
  const std::optional<fuzz::Failure> failure = try_command(a_case);
  if (!failure) return Result();
  const Invocation smallest = fuzz::shrink(a_case, *failure, try_command, shrink_attempts);
  Found found{index, try_command(smallest).value_or(*failure), smallest.line(), {}};
  if (!fuzz::has_program(smallest)) return Result(std::move(found));
  const Expected<std::string> text = fuzz::as_program(smallest, found.failure);
  if (!text) return text.diags();
  found.file = case_file(index, plan);
  collect(found.unwritten, write_whole(found.file, *text, read));
  if (!found.unwritten.empty()) found.file.clear();
  return Result(std::move(found));
}

Status status_of(const std::vector<Found>& failures) {
  if (!failures.empty()) return Status::finding;
  return is_stopped(current_stop()) ? Status::interrupted : Status::ok;
}

void print_report(Console& console, const Plan& plan, std::int64_t cases,
                  const std::vector<Found>& failures, double seconds) {
  for (const Found& found : failures) {
    console.out << fmt::format("case {}: {}: {}\n  {}\n", found.index, found.failure.kind,
                               found.failure.message, found.command);
    if (!found.file.empty()) console.out << fmt::format("  {}\n", found.file);
  }
  console.out << fmt::format(
      "{} of seed {}{}, {}, {}, {:.0f} cases a second\n", counted(cases, "case", "cases"),
      plan.seed, is_stopped(current_stop()) ? ", interrupted" : "",
      counted(static_cast<std::int64_t>(failures.size()), "failure", "failures"),
      human_seconds(seconds), static_cast<double>(cases) / seconds);
}

Json report_json(const Plan& plan, std::int64_t cases, const std::vector<Found>& failures,
                 double seconds) {
  Json object = {{"status", name(status_of(failures))},
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
  return object;
}

int run(const Arguments& arguments, Console& console) {
  const Expected<Plan> plan = plan_of(arguments);
  if (!plan) return fail(console, plan.diags());
  // Checks that files can be created before the search for failures begins.
  if (fuzz::has_program(fuzz::draw(plan->operation, plan->seed, plan->first))) {
    const auto file = OutputFile::create(case_file(plan->first, *plan), arguments.files());
    if (!file) return fail(console, file.diags());
  }
  Progress progress(console);
  std::vector<Found> failures;
  std::int64_t cases = 0;
  for (; cases < plan->cases && failures.size() < enough_failures; ++cases) {
    if (is_stopped(current_stop())) break;
    if (plan->seconds > 0 && progress.elapsed() >= plan->seconds) break;
    if (progress.is_due()) {
      progress.show(fmt::format("fuzz: {} cases, {} failures", cases, failures.size()));
    }
    const std::int64_t index = plan->first + cases;
    Expected<std::optional<Found>> found = one_case(index, *plan, arguments.files());
    if (!found) return fail(console, found.diags());
    if (*found) failures.push_back(**std::move(found));
  }
  progress.hide();
  Diags unwritten;
  for (const Found& found : failures)
    unwritten.insert(unwritten.end(), found.unwritten.begin(), found.unwritten.end());
  const double seconds = progress.elapsed();
  return report(
      console, status_of(failures), unwritten,
      [&] { return report_json(*plan, cases, failures, seconds); },
      [&] { print_report(console, *plan, cases, failures, seconds); });
}

}  // namespace

Command fuzz_command() {
  return {"fuzz",
          "",
          "compare random calls of the operations with the reference, and minimise calls that fail",
          "  gmm-run fuzz --cases 1000\n"
          "  gmm-run fuzz --minutes 10 --seed 7 --op tgmm\n"
          "  gmm-run fuzz --cases 500 --op grouped-gemm\n",
          {{"cases", "N", "how many calls; default 200"},
           {"minutes", "M", "as many calls as fit into this time"},
           {"seed", "N", "seed of the calls: call I of a seed is always the same; default 0"},
           {"first", "I", "the number of the first call; default 0"},
           {"op", "gmm|tgmm|ragged-dot|grouped-gemm", "only this operation; default gmm and tgmm"}},
          run};
}

}  // namespace tessera::cli
