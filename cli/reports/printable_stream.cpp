#include "cli/reports/printable_stream.h"

#include <utility>

#include "core/report/printable.h"

namespace tessera::cli {

std::streambuf* PrintableStream::raw(std::ostream& stream) {
  std::streambuf* buffer = stream.rdbuf();
  while (const auto* const filter = dynamic_cast<PrintableStream*>(buffer))
    buffer = filter->under();
  return buffer;
}

std::streamsize PrintableStream::xsputn(const char* text, std::streamsize count) {
  std::string all = std::exchange(unfinished_, {});
  all.append(text, static_cast<std::size_t>(count));
  unfinished_ = all.substr(all.size() - unfinished_bytes(all));
  all.resize(all.size() - unfinished_.size());
  return pass(printable(all)) ? count : 0;
}

int PrintableStream::sync() {
  const bool passed = unfinished_.empty() || pass(printable(std::exchange(unfinished_, {})));
  return under()->pubsync() == 0 && passed ? 0 : -1;
}

}  // namespace tessera::cli
