#include "core/report/source_line.h"

#include <array>
#include <cstddef>

#include "core/report/lines.h"

namespace tessera {
namespace {

// Line starts of the most recently used sources.
class RecentLines {
 public:
  const Lines& of(const std::shared_ptr<const Source>& source) {
    for (const Entry& entry : entries_)
      if (entry.is_of(source)) return *entry.lines;
    Entry& entry = entries_[next_];
    next_ = (next_ + 1) % entries_.size();
    entry = {source, source->text.data(), source->text.size(), Lines(source->text)};
    return *entry.lines;
  }

 private:
  // The text of a source may be replaced once, when its file is read.
  struct Entry {
    std::weak_ptr<const Source> source;
    const char* text = nullptr;
    std::size_t size = 0;
    std::optional<Lines> lines;

    bool is_of(const std::shared_ptr<const Source>& other) const {
      return text == other->text.data() && size == other->text.size() && source.lock() == other;
    }
  };
  std::array<Entry, 4> entries_;
  std::size_t next_ = 0;
};

}  // namespace

std::optional<std::string_view> source_line(const std::shared_ptr<const Source>& source,
                                            int number) {
  thread_local RecentLines recent;
  const Lines& lines = recent.of(source);
  if (!lines.has(number)) return std::nullopt;
  std::string_view line = lines[number];
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace tessera
