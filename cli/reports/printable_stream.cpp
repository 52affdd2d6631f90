#include "cli/reports/printable_stream.h"

#include <utility>

#include "core/report/printable.h"

namespace tessera::cli {

// Replacing the buffer of a stream clears its errors; they are kept.
PrintableStream::~PrintableStream() {
  sync();
  const std::ios::iostate state = stream_.rdstate();
  stream_.rdbuf(under_);
  stream_.setstate(state);
}

std::streambuf* PrintableStream::raw(std::ostream& stream) {
  std::streambuf* buffer = stream.rdbuf();
  while (const auto* const filter = dynamic_cast<PrintableStream*>(buffer)) buffer = filter->under_;
  return buffer;
}

bool PrintableStream::pass(std::string_view text) {
  const std::string shown = printable(text);
  const auto size = static_cast<std::streamsize>(shown.size());
  return under_->sputn(shown.data(), size) == size;
}

std::streamsize PrintableStream::xsputn(const char* text, std::streamsize count) {
  std::string all = std::exchange(unfinished_, {});
  all.append(text, static_cast<std::size_t>(count));
  unfinished_ = all.substr(all.size() - unfinished_bytes(all));
  all.resize(all.size() - unfinished_.size());
  return pass(all) ? count : 0;
}

PrintableStream::int_type PrintableStream::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char character = traits_type::to_char_type(c);
  return xsputn(&character, 1) == 1 ? c : traits_type::eof();
}

int PrintableStream::sync() {
  const bool passed = unfinished_.empty() || pass(std::exchange(unfinished_, {}));
  return under_->pubsync() == 0 && passed ? 0 : -1;
}

}  // namespace tessera::cli
