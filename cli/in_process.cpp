#include "cli/in_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/command.h"
#include "cli/host.h"
#include "cli/pack/open_pack.h"
#include "core/report/guarded.h"
#include "core/report/try.h"

namespace tessera::cli {

Answer answer(const std::vector<std::string>& args, HeldFiles& files, Stop stop) {
  std::ostringstream out, err, object;
  Console console{out, err, false, &object};
  const int code = run(args, console, {stop, false, &files});
  return {code, object.str(), out.str(), err.str()};
}

Expected<Options> options_of(const std::vector<std::string>& given) {
  Files files;
  const std::vector<std::string> words = names_pack(given) ? TRY(open_pack(given, files)) : given;
  for (const Command& command : commands())
    if (!words.empty() && command.name == words.front())
      return (command.resolve ? command.resolve(words) : command).options;
  return error(fmt::format("there is no command '{}'", words.empty() ? "" : words.front()));
}

}  // namespace tessera::cli
