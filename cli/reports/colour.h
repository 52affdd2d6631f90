// Colour for people at a terminal: what kind of message a line is, and where its caret stands.
// Reports say all of it in words too, so nothing is lost without.
#pragma once
#include <ostream>
#include <string>
#include <string_view>

#include "cli/reports/stream_filter.h"

namespace tessera::cli {

// The line with escape sequences around its kind, its caret or its label.
std::string coloured(std::string_view line);

// Whether the file is a terminal that shows colours; NO_COLOR (no-color.org) and TERM=dumb say no.
bool shows_colours(int fd);

// Whole lines that are written to the stream are coloured.
class ColouredLines final : public StreamFilter {
 public:
  explicit ColouredLines(std::ostream& stream) : StreamFilter(stream) {}
  ~ColouredLines() override { sync(); }

 protected:
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  // A line that has not ended, such as progress, is written without colours.
  int sync() override;

 private:
  std::string begun_;           // a line that has not ended
  bool is_partly_out_ = false;  // its beginning is written already
};

}  // namespace tessera::cli
