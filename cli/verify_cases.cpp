#include "cli/verify_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/operations/case_words.h"
#include "cli/reports/progress.h"
#include "cli/reports/report.h"
#include "cli/verify_target.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

constexpr int max_draws = 200;                  // per case, until one is accepted
constexpr std::int64_t max_events = 2'000'000;  // per case

struct Case {
  std::int64_t index = 0;
  std::string command;
  SchedulesVerdict verdict = SchedulesVerdict::explored;
  std::string why;  // first finding, or the reason for the verdict explored
  std::int64_t events = 0;
};

struct Summary {
  std::vector<Case> cases;
  std::int64_t not_allowed = 0;  // draws rejected by a `require`, the operation or the profile
  std::int64_t without = 0;      // cases without an accepted draw
  Diags last_refusal;
};

// True if the case exceeds the machine of the profile. This is not a defect of the program.
bool is_refused(const Certificate& c) { return any_has(c.findings, FindingTrait::of_machine); }

std::optional<Case> one_case(std::int64_t index, std::uint64_t seed,
                             const std::vector<std::string>& given, const Arguments& arguments,
                             Summary& summary) {
  fuzz::Choices choices(seed, index);
  for (int draw = 0; draw < max_draws; ++draw) {
    const auto words = draw_case_words(given, arguments, choices);
    if (!words) {
      summary.last_refusal = words.diags();
      ++summary.not_allowed;
      continue;
    }
    Expected<VerifyTarget> target = verify_target(*words, arguments.files());
    if (!target) {
      summary.last_refusal = target.diags();
      ++summary.not_allowed;
      continue;
    }
    arguments.read_as(target->arguments);
    target->how.budget = std::min(target->how.budget, max_events);
    const Expected<Certificate> certificate = certify(target->prepared.simulate, target->how);
    if (!certificate || is_refused(*certificate)) {
      if (!certificate)
        summary.last_refusal = certificate.diags();
      else
        summary.last_refusal = {error(certificate->findings.front().message)};
      ++summary.not_allowed;
      continue;
    }
    std::vector<std::string> command = *words;
    command.insert(command.begin(), "gmm-run");
    Case result{index, "", certificate->verdict, std::string(certificate->why_explored()),
                certificate->statistics.events};
    // The printed command contains the limit: the default limit of `verify` is higher, so it could
    // prove more.
    if (certificate->end == RunEnd::steps || certificate->end == RunEnd::events) {
      std::erase_if(command, [](const std::string& word) { return word.starts_with("--budget="); });
      if (const auto given = std::find(command.begin(), command.end(), "--budget");
          given != command.end())
        command.erase(given, given + 2);
      command.insert(command.end(), {"--budget", std::to_string(target->how.budget)});
      result.why = fmt::format(
          "the run was ended after {} steps or events (--budget), too few to "
          "decide",
          target->how.budget);
    }
    result.command = shell_line(command);
    if (!certificate->findings.empty()) {
      const Finding& first = certificate->findings.front();
      result.why =
          fmt::format("{}: {}", tessera::name(first.kind), message_text(first, first.message));
    }
    return result;
  }
  ++summary.without;
  return std::nullopt;
}

std::int64_t count(const Summary& summary, SchedulesVerdict verdict) {
  return std::count_if(summary.cases.begin(), summary.cases.end(),
                       [&](const Case& c) { return c.verdict == verdict; });
}

const Case* first_of(const Summary& summary, SchedulesVerdict verdict) {
  const auto found = std::find_if(summary.cases.begin(), summary.cases.end(),
                                  [&](const Case& c) { return c.verdict == verdict; });
  return found == summary.cases.end() ? nullptr : &*found;
}

constexpr std::array verdicts = {SchedulesVerdict::proved, SchedulesVerdict::refuted,
                                 SchedulesVerdict::explored};

std::string summary_lines(const Summary& summary, std::uint64_t seed, double seconds) {
  std::string text = line("cases", fmt::format("{} of seed {}", summary.cases.size(), seed));
  for (const SchedulesVerdict verdict : verdicts)
    text += line(tessera::name(verdict), std::to_string(count(summary, verdict)));
  text +=
      line("not tried", fmt::format("{} that a `require`, the operation or the profile does not "
                                    "allow",
                                    counted(summary.not_allowed, "draw", "draws")));
  if (summary.without > 0)
    text += line(
        "", fmt::format("{} without an allowed draw", counted(summary.without, "case", "cases")));
  for (const SchedulesVerdict verdict : {SchedulesVerdict::refuted, SchedulesVerdict::explored})
    if (const Case* first = first_of(summary, verdict))
      text += fmt::format("the first {}, case {}: {}\n  {}\n", tessera::name(verdict), first->index,
                          first->why, first->command);
  return text + line("time", human_seconds(seconds));
}

Json summary_json(const Summary& summary, std::uint64_t seed, Status status, double seconds) {
  Json object = {{"status", name(status)}, {"seed", seed}};
  for (const SchedulesVerdict verdict : verdicts)
    object[tessera::name(verdict)] = count(summary, verdict);
  object["not_allowed"] = summary.not_allowed;
  object["without_a_draw"] = summary.without;
  const Case* const first = first_of(summary, SchedulesVerdict::refuted);
  object["first_refuted"] = first == nullptr ? Json() : Json(first->index);
  object["cases"] = Json::array();
  for (const Case& c : summary.cases)
    object["cases"].push_back({{"index", c.index},
                               {"command", c.command},
                               {"verdict", tessera::name(c.verdict)},
                               {"why", c.why.empty() ? Json() : Json(c.why)},
                               {"events", c.events}});
  object["wall_seconds"] = seconds;
  return object;
}

}  // namespace

int verify_cases(const Arguments& arguments, Console& console) {
  Diags diags;
  const std::int64_t n = arguments.integer("cases", diags, 1).value_or(1);
  const auto seed = static_cast<std::uint64_t>(arguments.integer("seed", diags).value_or(0));
  if (!diags.empty()) return fail(console, diags);
  const std::vector<std::string> given =
      arguments.invocation().without({"cases", "seed", "json"}).words();
  Expected<Arguments> fixed = verify_arguments(given, arguments.files());
  if (!fixed) return fail(console, fixed.diags());
  fixed->read_along(arguments);
  Progress progress(console);
  Summary summary;
  for (std::int64_t index = 0; index < n; ++index) {
    if (progress.is_due())
      progress.show(fmt::format("verify: {} of {} cases, {:.0f} s", index, n, progress.elapsed()));
    if (std::optional<Case> one = one_case(index, seed, given, *fixed, summary))
      summary.cases.push_back(*std::move(one));
  }
  if (summary.cases.empty()) {
    Diags refusal = {error(fmt::format(
        "none of {} draws is allowed; the last was rejected because:", summary.not_allowed))};
    refusal.insert(refusal.end(), summary.last_refusal.begin(), summary.last_refusal.end());
    return fail(console, refusal);
  }
  if (const Diags unread = arguments.unread(); !unread.empty()) return fail(console, unread);
  const Status status =
      count(summary, SchedulesVerdict::refuted) == 0 ? Status::ok : Status::finding;
  if (console.prints_json())
    print(console, summary_json(summary, seed, status, progress.elapsed()));
  if (console.prints_text()) console.out << summary_lines(summary, seed, progress.elapsed());
  return exit_code(status);
}

}  // namespace tessera::cli
