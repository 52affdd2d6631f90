// The run that is looked at beside another one.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <set>
#include <utility>

#include "cli/debug/debugger.h"
#include "cli/diff_runs.h"
#include "core/report/try.h"

namespace tessera::cli {
namespace {

using RunWords = std::vector<std::string>;

// The words of this run as `run` has them.
RunWords words_of(Invocation invocation) {
  invocation.command = "run";
  return invocation.without({"interpret", "device"}).words();
}

// The same run, but for these options.
Expected<RunWords> changed(const Invocation& own, const RunWords& words) {
  RunWords line = {"run", own.options.empty() ? "" : words_of(own)[1]};
  const Options known = run_side_options(line, not_in_diff());
  line.insert(line.end(), words.begin(), words.end());
  const Arguments given = TRY(parse_arguments(known, line));
  if (given.words().size() != 1)
    return error(
        fmt::format("`{}` is one word too many behind options; another program stands "
                    "before its options, as in diff other.tsr --set m=8",
                    given.words().back()));
  std::set<std::string> names;
  for (const Invocation::Option& option : given.invocation().options) names.insert(option.name);
  Invocation other = own;
  std::erase_if(other.options, [&](const Invocation::Option& option) {
    return !option.name.empty() && names.contains(option.name);
  });
  for (const Invocation::Option& option : given.invocation().options)
    if (!option.name.empty()) other.options.push_back(option);
  return words_of(other);
}

// An event at which the runs part; that of this run.
std::optional<std::int64_t> first_event(const DiffReport& report) {
  std::optional<std::int64_t> first;
  const auto meet = [&](const DiffPlaces& places) {
    if (places.a) first = std::min(first.value_or(places.a->event), places.a->event);
  };
  if (report.event) meet(*report.event);
  if (report.value) meet(report.value->places);
  return first;
}

}  // namespace

Expected<void> Debugger::diff(const Words& words) {
  if (words.empty())
    return error(
        "expected options that the other run has, as in diff --schedule random:1, or its "
        "program, as in diff other.tsr");
  if (invocation_.options.empty())
    return error(ErrorCode::unsupported, "nobody said by which command line this run began");
  if (is_by_hand_)
    return error(
        "this run's schedule was made by hand; `schedule FILE` keeps it, and gmm-run diff "
        "takes it with --schedule replay:FILE");
  const bool is_other_program = !words.front().starts_with("-");
  RunWords other;
  if (is_other_program) {
    other = words;
    other.insert(other.begin(), "run");
  } else {
    other = TRY(changed(invocation_, words));
  }
  const DiffReport report = TRY(diff_runs(TRY(run_side(words_of(invocation_), not_in_diff())),
                                          TRY(run_side(std::move(other), not_in_diff()))));
  out_ << diff_lines(report);
  if (const auto event = first_event(report))
    out_ << fmt::format("goto {} is before the first difference in A, which is this run\n", *event);
  return {};
}

}  // namespace tessera::cli
