// Where the debugger's commands come from: a terminal, whose lines can be edited and completed, or
// plain lines.
#pragma once
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

namespace tessera::debugger {

class LineReader {
 public:
  virtual ~LineReader() = default;
  // The next line; none: there is no more.
  virtual std::optional<std::string> next() = 0;
  virtual bool is_terminal() const { return false; }
};

// Of the standard input.
std::unique_ptr<LineReader> standard_input();

}  // namespace tessera::debugger
