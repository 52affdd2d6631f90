// diff: where two runs part, by their events, the values that they write and their results.
#include <array>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/reports/diff_report.h"
#include "cli/run_side.h"
#include "core/report/try.h"
#include "interp/session/run_difference.h"
#include "interp/session/session.h"

namespace tessera::cli {

Command diff_command();

namespace {

// Options of the other command that mean nothing here: no results are written or judged, and both
// runs are on the interpreter, one event after the other.
constexpr std::array<std::string_view, 20> not_taken = {
    "out",       "check",  "trace", "timeline",      "save-schedule", "unchecked",
    "no-verify", "timing", "cost",  "all",           "dump",          "debug-on-finding",
    "expect",    "rtol",   "atol",  "strict-values", "point-cores",   "device",
    "interpret", "explain"};

Expected<DiffReport> compared(const Arguments& arguments) {
  RunSide a = TRY(run_side(arguments.words()[0], arguments, not_taken));
  RunSide b = TRY(run_side(arguments.words()[1], arguments, not_taken));
  if (Diags unread = arguments.unread(); !unread.empty()) return unread;
  RunDifference found = TRY(difference(a.run, b.run));
  const auto session_a = TRY(Session::open(std::move(a.run)));
  const auto session_b = TRY(Session::open(std::move(b.run)));
  return diff_report(a.text, b.text, std::move(found), *session_a, *session_b);
}

int run(const Arguments& arguments, Console& console) {
  const Expected<DiffReport> report = compared(arguments);
  if (!report) return fail(console, report.diags());
  if (console.json)
    print(console, diff_json(*report));
  else
    console.out << diff_lines(*report);
  return exit_code(report->difference.is_same() ? Status::ok : Status::mismatch);
}

Command resolved(const std::vector<std::string>& args) {
  Command command = diff_command();
  command.options = run_side_options(args, not_taken);
  return command;
}

}  // namespace

Command diff_command() {
  return {"diff",
          "FILE.tsr|KERNEL|COMMAND FILE.tsr|KERNEL|COMMAND",
          "where two runs part: the first event and the first value that differ, and the results",
          "  gmm-run diff 'my_kernel.tsr --schedule eager' 'my_kernel.tsr --schedule random:1' "
          "--devices 2\n"
          "  gmm-run diff my_kernel.tsr as_it_was.tsr --set m=64\n"
          "  gmm-run diff 'my_kernel.tsr --in a=x.npy' 'my_kernel.tsr --in a=y.npy'\n"
          "  gmm-run diff 'gmm --tiling 8,8,8' 'gmm --tiling 8,16,8' --group-sizes 5,0,9 --k 16 "
          "--n 16 --fill integers\n",
          {},
          run,
          nullptr,
          resolved};
}

}  // namespace tessera::cli
