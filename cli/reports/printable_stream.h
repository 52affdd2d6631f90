// Filter of an output stream that escapes control characters, so that printed input cannot control
// the terminal.
#pragma once
#include <ostream>
#include <streambuf>
#include <string>

#include "cli/reports/stream_filter.h"

namespace tessera::cli {

// Applies printable() to everything written to the stream.
class PrintableStream final : public StreamFilter {
 public:
  explicit PrintableStream(std::ostream& stream) : StreamFilter(stream) {}
  ~PrintableStream() override { sync(); }

  // The buffer below the PrintableStream filters of the stream, for protocol output and for control
  // sequences of the program itself.
  static std::streambuf* raw(std::ostream& stream);

 protected:
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;

 private:
  std::string unfinished_;  // bytes of an incomplete character
};

}  // namespace tessera::cli
