// A filter of an output stream: text that a command prints cannot control the terminal, whatever
// input it comes from.
#pragma once
#include <ostream>
#include <streambuf>
#include <string>

#include "cli/reports/stream_filter.h"

namespace tessera::cli {

// Everything written to the stream passes printable().
class PrintableStream final : public StreamFilter {
 public:
  explicit PrintableStream(std::ostream& stream) : StreamFilter(stream) {}
  ~PrintableStream() override { sync(); }

  // The buffer below the stream's filters, for output that is a protocol and for control sequences
  // of our own.
  static std::streambuf* raw(std::ostream& stream);

 protected:
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;

 private:
  std::string unfinished_;  // bytes of a character that is not complete yet
};

}  // namespace tessera::cli
