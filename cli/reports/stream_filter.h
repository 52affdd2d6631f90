// Filters of an output stream, which change text before it is written to the stream's buffer.
#pragma once
#include <ostream>
#include <streambuf>
#include <string_view>

namespace tessera::cli {

// During its lifetime everything written to the stream passes xsputn() of the derived class. The
// stream must outlive this object. The destructor of a derived class calls sync().
class StreamFilter : public std::streambuf {
 public:
  ~StreamFilter() override;
  StreamFilter(const StreamFilter&) = delete;
  StreamFilter& operator=(const StreamFilter&) = delete;

 protected:
  explicit StreamFilter(std::ostream& stream) : stream_(stream), under_(stream.rdbuf(this)) {}

  int_type overflow(int_type c) override;
  // Writes to the buffer below; false if it does not take all of the text.
  bool pass(std::string_view text);
  std::streambuf* under() const { return under_; }

 private:
  std::ostream& stream_;
  std::streambuf* under_;
};

}  // namespace tessera::cli
