#include "interp/observe/debug_sink.h"

#include <fmt/format.h>

namespace tessera {

std::string to_string(const DebugOutput& output) {
  const Loc& loc = output.loc;
  return fmt::format("{}: {}{}{}: {}",
                     loc ? fmt::format("{}:{}", loc.source->name, loc.line) : "the program",
                     to_string(output.agent), output.loops.empty() ? "" : " at ",
                     to_string(output.loops), output.text);
}

}  // namespace tessera
