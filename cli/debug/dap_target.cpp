#include "cli/debug/dap_target.h"

#include <fmt/format.h>

#include <utility>

#include "cli/debug/compare_runs.h"
#include "cli/debug/debug_target.h"
#include "cli/reports/report.h"
#include "core/report/try.h"

namespace tessera::cli {
namespace {

using debugger::DebugAdapter;

int exit_code_of(const Session& ended) {
  return exit_code(ended.findings().empty() ? status_of(ended.ended_by()) : Status::finding);
}

// Opens a target. Options that the run reads are also marked as read in `given`.
Expected<DebugAdapter::Target> open_target(const Arguments& given,
                                           const std::optional<std::string>& program,
                                           const std::vector<std::string>& added) {
  std::vector<std::string> words = given.given();
  if (program && !given.words().empty())
    return error(fmt::format("program: the command line names {} already", given.words().front()));
  if (!program && given.words().empty())
    return error(
        "launch needs its `program`, a file, a kernel or a command; or the command line "
        "names one: gmm-run dap FILE.tsr");
  if (program) words.insert(words.begin() + 1, *program);
  words.insert(words.end(), added.begin(), added.end());
  Arguments arguments = TRY(debug_arguments(words, target_options(words), given.files()));
  if (arguments.words().size() != 1)
    return error(fmt::format("args: unexpected word {}", arguments.words().back()));
  if (arguments.words().front() == "-")
    return error("a program cannot be read from standard input, which the protocol uses");
  if (arguments.was_given("max-memory") && !given.was_given("max-memory"))
    return error("--max-memory limits the process: expected after gmm-run dap");
  arguments.read_along(given);
  auto session = TRY(debug_session(arguments));
  if (const Diags unread = arguments.unread(); !unread.empty()) return unread;
  Invocation invocation = arguments.invocation();
  invocation.command = "debug";
  return DebugAdapter::Target{std::move(session), invocation,
                              compare_with(invocation, given.files()), given.files(), exit_code_of};
}

}  // namespace

debugger::DebugAdapter::Open dap_target(const Arguments& given) {
  return
      [&given](const std::optional<std::string>& program, const std::vector<std::string>& added) {
        return open_target(given, program, added);
      };
}

}  // namespace tessera::cli
