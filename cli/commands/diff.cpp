// diff: compares two runs by their events, the values that they write, and their results.
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/diff_runs.h"
#include "core/report/try.h"

namespace tessera::cli {

Command diff_command();

namespace {

Expected<DiffReport> compared(const Arguments& arguments) {
  RunSide a = TRY(run_side(arguments.words()[0], arguments, not_in_diff()));
  RunSide b = TRY(run_side(arguments.words()[1], arguments, not_in_diff()));
  if (Diags unread = arguments.unread(); !unread.empty()) return unread;
  return diff_runs(std::move(a), std::move(b));
}

int run(const Arguments& arguments, Console& console) {
  const Expected<DiffReport> report = compared(arguments);
  if (!report) return fail(console, report.diags());
  if (console.prints_json()) print(console, diff_json(*report));
  if (console.prints_text()) console.out << diff_lines(*report);
  return exit_code(report->difference.is_same() ? Status::ok : Status::mismatch);
}

Command resolved(const std::vector<std::string>& args) {
  Command command = diff_command();
  command.options = run_side_options(args, not_in_diff());
  return command;
}

}  // namespace

Command diff_command() {
  return {"diff",
          "FILE.tsr|KERNEL|COMMAND FILE.tsr|KERNEL|COMMAND",
          "compare two runs: the first event and the first value that differ, and the results",
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
