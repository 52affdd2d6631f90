#include "interp/observe/listener.h"

#include <fmt/format.h>

namespace tessera {

std::string to_string(const Told& told) {
  const Loc& loc = told.loc;
  return fmt::format("{}: {}{}{}: {}",
                     loc ? fmt::format("{}:{}", loc.source->name, loc.line) : "the program",
                     to_string(told.agent), told.loops.empty() ? "" : " at ",
                     to_string(told.loops), told.text);
}

}  // namespace tessera
