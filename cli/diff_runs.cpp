#include "cli/diff_runs.h"

#include <array>
#include <string_view>
#include <utility>

#include "core/report/try.h"
#include "debugger/session/run_difference.h"
#include "debugger/session/session.h"

namespace tessera::cli {

OptionNames not_in_diff() {
  static constexpr std::array<std::string_view, 23> names = {
      "out",       "check",   "trace",       "timeline",      "save-schedule", "unchecked",
      "no-verify", "timing",  "cost",        "all",           "dump",          "debug-on-finding",
      "expect",    "rtol",    "atol",        "strict-values", "loop-workers",  "device",
      "interpret", "explain", "expected-in", "expected-by",   "prints"};
  return names;
}

Expected<DiffReport> diff_runs(RunSide a, RunSide b) {
  RunDifference found = TRY(difference(a.run, b.run));
  const auto session_a = TRY(Session::open(std::move(a.run)));
  const auto session_b = TRY(Session::open(std::move(b.run)));
  return diff_report(a.text, b.text, std::move(found), *session_a, *session_b);
}

}  // namespace tessera::cli
