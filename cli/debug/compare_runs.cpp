#include "cli/debug/compare_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/diff_runs.h"
#include "core/report/try.h"

namespace tessera::cli {
namespace {

using debugger::Debugger;
using DiffWords = Debugger::Words;

// Returns the command line of this run for `run`, without the device.
DiffWords words_of(Invocation invocation) {
  invocation.command = "run";
  return invocation.without({"interpret", "device"}).words();
}

// Returns the command line of the same run with these options instead of its own ones.
Expected<DiffWords> changed(const Invocation& own, const DiffWords& options) {
  DiffWords line = {"run", words_of(own)[1]};
  const Options known = run_side_options(line, not_in_diff());
  line.insert(line.end(), options.begin(), options.end());
  const Arguments given = TRY(parse_arguments(known, line));
  if (given.words().size() != 1)
    return error(
        fmt::format("unexpected word `{}` after options; name another program before its options, "
                    "as in diff other.tsr --set m=8",
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

// First event of run A at which the runs differ; may be none.
std::optional<std::int64_t> first_event(const DiffReport& report) {
  std::optional<std::int64_t> first;
  const auto add = [&](const DiffPlaces& places) {
    if (places.a) first = std::min(first.value_or(places.a->event), places.a->event);
  };
  if (report.event) add(*report.event);
  if (report.value) add(report.value->places);
  return first;
}

Expected<Debugger::Compared> compared(const Invocation& own, const DiffWords& words, Files* files) {
  DiffWords other = words;
  if (words.front().starts_with("-"))
    other = TRY(changed(own, words));
  else
    other.insert(other.begin(), "run");
  const DiffReport report = TRY(diff_runs(TRY(run_side(words_of(own), not_in_diff(), files)),
                                          TRY(run_side(std::move(other), not_in_diff(), files))));
  return Debugger::Compared{diff_lines(report), first_event(report)};
}

}  // namespace

Debugger::Compare compare_with(const Invocation& own, Files* files) {
  if (own.options.empty()) return {};
  return [own, files](const DiffWords& words) { return compared(own, words, files); };
}

}  // namespace tessera::cli
