#include "cli/debug/held_debugger.h"

#include <utility>

#include "cli/debug/debug_target.h"
#include "cli/pack/open_pack.h"
#include "core/report/guarded.h"
#include "core/report/printable.h"
#include "core/report/try.h"

namespace tessera::cli {

Expected<std::unique_ptr<HeldDebugger>> HeldDebugger::open(const std::vector<std::string>& given,
                                                           Files& files) try {
  const std::vector<std::string> words = names_pack(given) ? TRY(open_pack(given, files)) : given;
  const Arguments arguments = TRY(debug_arguments(words, target_options(words), &files));
  if (arguments.words().empty() && words.size() < 2)
    return error("debug needs FILE.tsr|KERNEL|COMMAND");
  std::unique_ptr<Session> session = TRY(debug_session(arguments));
  if (Diags unread = arguments.unread(); !unread.empty()) return unread;
  std::unique_ptr<HeldDebugger> result(new HeldDebugger(std::move(session), arguments));
  TRY(result->debugger_.tell_printed());
  return result;
} catch (...) {
  return given_up("opening a session");
}

Expected<std::string> HeldDebugger::command(std::string_view line) try {
  out_.str({});
  TRY(debugger_.execute(line));
  return printable(out_.str());
} catch (...) {
  return given_up("debugging");
}

}  // namespace tessera::cli
