// Colours for kinds of messages, carets and labels on a terminal. They only repeat information that
// is in the text.
#pragma once
#include <ostream>
#include <string>
#include <string_view>

#include "cli/reports/stream_filter.h"

namespace tessera::cli {

// Returns the line with escape sequences around its kind, its caret or its label; unchanged if it
// has none of them. line: without its end.
std::string coloured(std::string_view line);

// True if the file is a terminal that shows colours. False if NO_COLOR (no-color.org) is not empty,
// or if TERM is not set or is `dumb`.
bool shows_colours(int fd);

// Colours whole lines that are written to the stream.
class ColouredLines final : public StreamFilter {
 public:
  explicit ColouredLines(std::ostream& stream) : StreamFilter(stream) {}
  ~ColouredLines() override { sync(); }

 protected:
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  // Writes an incomplete line, for example progress, without colours.
  int sync() override;

 private:
  std::string begun_;           // incomplete line
  bool is_partly_out_ = false;  // true: the start of this line is already written
};

}  // namespace tessera::cli
