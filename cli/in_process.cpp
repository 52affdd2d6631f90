#include "cli/in_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/command.h"
#include "cli/host.h"
#include "core/report/guarded.h"

namespace tessera::cli {

Answer answer(const std::vector<std::string>& args, HeldFiles& files, Stop stop) {
  std::ostringstream out, err, object;
  Console console{out, err, false, &object};
  const int code = run(args, console, {stop, false, &files});
  return {code, object.str(), out.str(), err.str()};
}

Expected<Options> options_of(const std::vector<std::string>& words) {
  for (const Command& command : commands())
    if (!words.empty() && command.name == words.front())
      return (command.resolve ? command.resolve(words) : command).options;
  return error(fmt::format("there is no command '{}'", words.empty() ? "" : words.front()));
}

}  // namespace tessera::cli
