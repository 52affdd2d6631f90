// Input of the debugger's commands: a terminal with line editing and completion, or plain lines.
#pragma once
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

namespace tessera::debugger {

class LineReader {
 public:
  virtual ~LineReader() = default;
  // Returns the next line without its line end; nullopt at the end of the input.
  virtual std::optional<std::string> next() = 0;
  virtual bool is_terminal() const { return false; }
};

// Returns a reader of standard input: with editing and completion if standard input and output are
// terminals.
std::unique_ptr<LineReader> standard_input();

}  // namespace tessera::debugger
