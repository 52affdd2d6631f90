#include "cli/reports/stream_filter.h"

namespace tessera::cli {

// Replacing the buffer of a stream clears its errors; they are restored.
StreamFilter::~StreamFilter() {
  const std::ios::iostate state = stream_.rdstate();
  stream_.rdbuf(under_);
  stream_.setstate(state);
}

StreamFilter::int_type StreamFilter::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char character = traits_type::to_char_type(c);
  return xsputn(&character, 1) == 1 ? c : traits_type::eof();
}

bool StreamFilter::pass(std::string_view text) {
  const auto size = static_cast<std::streamsize>(text.size());
  return under_->sputn(text.data(), size) == size;
}

}  // namespace tessera::cli
