// Colour for people at a terminal: what kind of message a line is, and where its caret stands.
// Reports say all of it in words too, so nothing is lost without.
#pragma once
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace tessera::cli {

// The line with escape sequences around its kind, its caret or its label.
std::string coloured(std::string_view line);

// Whether the file is a terminal that shows colours; NO_COLOR (no-color.org) and TERM=dumb say no.
bool shows_colours(int fd);

// While it lives, whole lines that go to the stream are coloured.
class ColouredLines : public std::streambuf {
 public:
  explicit ColouredLines(std::ostream& stream) : stream_(stream), under_(stream.rdbuf(this)) {}
  ~ColouredLines() override;
  ColouredLines(const ColouredLines&) = delete;
  ColouredLines& operator=(const ColouredLines&) = delete;

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;

 private:
  bool pass(std::string_view text);

  std::ostream& stream_;
  std::streambuf* under_;
  std::string begun_;           // a line that has not ended
  bool is_partly_out_ = false;  // its beginning was asked for before its end came
};

}  // namespace tessera::cli
