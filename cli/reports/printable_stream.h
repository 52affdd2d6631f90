// A filter of an output stream: text that a command prints cannot control the terminal, whatever
// input it comes from.
#pragma once
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace tessera::cli {

// During its lifetime everything written to the stream passes printable(). The stream must outlive
// this object.
class PrintableStream final : public std::streambuf {
 public:
  explicit PrintableStream(std::ostream& stream) : stream_(stream), under_(stream.rdbuf(this)) {}
  ~PrintableStream() override;
  PrintableStream(const PrintableStream&) = delete;
  PrintableStream& operator=(const PrintableStream&) = delete;

  // The buffer below the stream's filters, for output that is a protocol and for control sequences
  // of our own.
  static std::streambuf* raw(std::ostream& stream);

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;

 private:
  bool pass(std::string_view text);

  std::ostream& stream_;
  std::streambuf* under_;
  std::string unfinished_;  // bytes of a character that is not complete yet
};

}  // namespace tessera::cli
