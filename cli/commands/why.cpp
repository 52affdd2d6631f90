// why: reports the origin of memory elements, the reason why a core waits, and the signals on a
// semaphore.
#include <fmt/format.h>

#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/debug/debug_target.h"
#include "debugger/commands/debugger.h"
#include "interp/cut_off.h"

namespace tessera::cli {

Command why_command();

namespace {

Options why_options() {
  return {
      {"of", "'out[5, 130]'",
       "memory, a semaphore or a core (dev1), as in the debugger; may be repeated", true},
      {"at", "EVENT", "explain the state before this event; default: at the end of the run"},
  };
}

Options why_options(const std::vector<std::string>& words) {
  Options options = target_options(words);
  for (const Option& option : why_options()) options.push_back(option);
  return options;
}

int run(const Arguments& given, Console& console) {
  Expected<Arguments> arguments =
      debug_arguments(given.given(), why_options(given.given()), given.files());
  if (!arguments) return fail(console, arguments.diags());
  arguments->read_along(given);
  const std::vector<std::string> questions = arguments->all("of");
  Diags diags;
  const std::int64_t at = arguments->integer("at", diags, 0).value_or(Turn::unlimited);
  if (questions.empty()) diags.push_back(error("expected --of, as in --of 'out[5, 130]'"));
  if (!diags.empty()) return fail(console, diags);
  const auto session = debug_session(*arguments);
  if (!session) return fail(console, session.diags());
  if (const Diags unread = arguments->unread(); !unread.empty()) return fail(console, unread);
  if (const auto there = (*session)->go_to(at); !there) return fail(console, there.diags());
  const bool is_truncated =
      (*session)->position() < at && (*session)->ended_by() != RunEnd::program;
  if (is_truncated) return fail(console, cut_off((*session)->ended_by(), "the run"));
  Json told = Json::array();
  for (const std::string& question : questions) {
    std::ostringstream out;
    if (const auto done = debugger::Debugger(**session, out).execute("why " + question); !done)
      return fail(console, done.diags());
    if (console.prints_text()) console.out << out.str();
    told.push_back({{"question", question}, {"answer", out.str()}});
  }
  if (console.prints_json())
    print(console, {{"status", name(Status::ok)},
                    {"event", (*session)->position()},
                    {"over", (*session)->is_over()},
                    {"answers", std::move(told)}});
  return exit_code(Status::ok);
}

Command resolved(const std::vector<std::string>& args) {
  Command command = why_command();
  command.options = why_options(args);
  return command;
}

}  // namespace

Command why_command() {
  return {"why",
          "FILE.tsr|KERNEL|COMMAND",
          "explain how elements were computed, back to the operands, and why a core waits",
          "  gmm-run why my_kernel.tsr --of 'out[5, 130]'\n"
          "  gmm-run why gmm --group-sizes 100,150,50 --k 64 --n 32 --of 'out[7, 3]'\n"
          "  gmm-run why my_kernel.tsr --devices 4 --of dev1 --of 'dev1.arrived'\n",
          why_options(),
          run,
          nullptr,
          resolved};
}

}  // namespace tessera::cli
