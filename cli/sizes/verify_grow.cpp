#include "cli/sizes/verify_grow.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>

#include "cli/reports/coverage_report.h"
#include "cli/reports/progress.h"
#include "cli/reports/report.h"
#include "cli/sizes/growth.h"
#include "cli/verify_target.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

std::string added_text(const std::vector<CoverageNote>& added) {
  std::string text;
  for (const CoverageNote& note : added) {
    const std::string place = note.loc ? fmt::format(" of line {}", note.loc.line) : "";
    text += fmt::format("{}{}{}", text.empty() ? "adds " : ", ", name(note.kind), place);
  }
  return text;
}

// One line for each case that added something or is not proved; one for the others in a row in
// which the same sizes vary.
std::string case_lines(const std::vector<GrownCase>& cases) {
  const auto is_plain = [](const GrownCase& grown) {
    return grown.verdict == SchedulesVerdict::proved && grown.added.empty();
  };
  std::string text;
  for (std::size_t i = 0; i < cases.size();) {
    const GrownCase& first = cases[i];
    std::string said = first.group.empty() ? "as given" : first.group + " " + first.item;
    std::size_t next = i + 1;
    for (; is_plain(first) && next < cases.size(); ++next) {
      if (!is_plain(cases[next]) || cases[next].group != first.group) break;
      said += " " + cases[next].item;
    }
    text += fmt::format("  {}: {}", said, name(first.verdict));
    for (const std::string& more : {first.why, added_text(first.added)})
      if (!more.empty()) text += "; " + more;
    text += "\n";
    i = next;
  }
  return text;
}

// The verdict, which never covers other sizes.
std::string verdict_line(const Growth& growth) {
  if (growth.is_refuted())
    return line("refuted", "at the last of these sizes") + "  " + growth.cases.back().command +
           "\n";
  if (growth.is_interrupted) return line("ended", "interrupted before the last size");
  if (growth.is_out_of_budget)
    return line("ended", "the budget of events was used up before the last size (--budget)");
  const auto proved = std::count_if(
      growth.cases.begin(), growth.cases.end(),
      [](const GrownCase& grown) { return grown.verdict == SchedulesVerdict::proved; });
  const std::string what = fmt::format("{} of {} sizes", proved, growth.cases.size());
  constexpr std::string_view scope = "this proves nothing about other sizes";
  if (proved < static_cast<std::ptrdiff_t>(growth.cases.size()))
    return line("explored", fmt::format("{} are proved; {}", what, scope));
  return line("proved", fmt::format("{}; {}", what, scope));
}

std::string growth_lines(const Growth& growth, double seconds) {
  std::string text = line("kernel", growth.kernel);
  text += line("sizes", fmt::format("{} verified, {} not allowed by a `require`, the "
                                    "operation or the profile",
                                    growth.cases.size(), growth.not_allowed));
  text += case_lines(growth.cases);
  text += verdict_line(growth);
  if (!growth.is_refuted())
    for (const std::optional<RingLength>* ring : {&growth.chained, &growth.independent})
      if (*ring) text += ring_length_lines(**ring);
  for (const CoverageNote& note : growth.missing) text += line("uncovered", coverage_text(note));
  return text + line("time", human_seconds(seconds));
}

Json growth_json(const Growth& growth, Status status, double seconds) {
  Json object = {{"status", name(status)}, {"not_allowed", growth.not_allowed}};
  object["sizes"] = Json::array();
  for (const GrownCase& grown : growth.cases) {
    Json added = Json::array();
    for (const CoverageNote& note : grown.added)
      added.push_back({{"kind", name(note.kind)}, {"line", note.loc.line}});
    object["sizes"].push_back({{"words", grown.words},
                               {"command", grown.command},
                               {"verdict", name(grown.verdict)},
                               {"why", grown.why.empty() ? Json() : Json(grown.why)},
                               {"events", grown.events},
                               {"added", std::move(added)}});
  }
  object["first_refuted"] = growth.is_refuted() ? Json(growth.cases.size() - 1) : Json();
  object["ring"] = growth.chained       ? ring_length_json(*growth.chained)
                   : growth.independent ? ring_length_json(*growth.independent)
                                        : Json();
  object["out_of_budget"] = growth.is_out_of_budget;
  object["coverage"] = coverage_json(growth.missing, {});
  object["wall_seconds"] = seconds;
  return object;
}

Status status_of(const Growth& growth) {
  if (growth.is_refuted()) return Status::finding;
  if (growth.is_interrupted) return Status::interrupted;
  return growth.is_out_of_budget ? Status::budget : Status::ok;
}

}  // namespace

int verify_grow(const Arguments& arguments, Console& console) {
  Diags diags;
  const std::int64_t budget =
      arguments.integer("budget", diags, 1).value_or(CertifyOptions{}.budget);
  if (!diags.empty()) return fail(console, diags);
  const std::vector<std::string> given = arguments.invocation().without({"cases", "json"}).words();
  Expected<Arguments> fixed = verify_arguments(given, arguments.files());
  if (!fixed) return fail(console, fixed.diags());
  fixed->read_along(arguments);
  const Progress progress(console);
  const Expected<Growth> growth = Grower(*fixed, budget).run();
  if (!growth) return fail(console, growth.diags());
  if (const Diags unread = arguments.unread(); !unread.empty()) return fail(console, unread);
  const Status status = status_of(*growth);
  if (console.prints_json()) print(console, growth_json(*growth, status, progress.elapsed()));
  if (console.prints_text()) console.out << growth_lines(*growth, progress.elapsed());
  return exit_code(status);
}

}  // namespace tessera::cli
