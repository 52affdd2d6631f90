#include "core/lang/line_map.h"

#include <algorithm>
#include <charconv>

namespace tessera {
namespace {

constexpr std::size_t max_callers = 100;

// Reads the words of a directive in order.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) { skip(); }

  bool at_end() const { return at_ == text_.size(); }
  std::size_t at() const { return at_; }
  bool accept(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    const std::size_t behind = at_ + word.size();
    if (behind < text_.size() && text_[behind] != ' ' && text_[behind] != '\t') return false;
    at_ = behind;
    skip();
    return true;
  }
  // Reads a line number, at least 1.
  std::optional<int> number() {
    int value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (problem != std::errc{} || value < 1) return std::nullopt;
    at_ += static_cast<std::size_t>(end - begin);
    skip();
    return value;
  }
  std::optional<std::string> quoted() {
    if (at_end() || text_[at_] != '"') return std::nullopt;
    std::string value;
    std::size_t i = at_ + 1;
    for (; i < text_.size() && text_[i] != '"'; ++i) {
      const bool escapes =
          text_[i] == '\\' && i + 1 < text_.size() && (text_[i + 1] == '"' || text_[i + 1] == '\\');
      value += text_[escapes ? ++i : i];
    }
    if (i == text_.size() || value.empty()) return std::nullopt;
    at_ = i + 1;
    skip();
    return value;
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

void LineMap::read(const std::shared_ptr<const Source>& source, std::string_view text, int line,
                   Diags& diags) {
  Words words(text);
  const auto fail = [&](std::string message) {
    const int column = static_cast<int>(words.at()) + 1;
    diags.push_back({ErrorCode::invalid_value, {source, line, column, 1}, std::move(message), {}});
  };
  if (!words.accept("# line"))
    return fail(
        "a line that begins with `#` is `# line 49 \"kernel.py\"`, or `# line`, after which "
        "locations are in this text again");
  Origin origin;
  while (!words.at_end()) {
    if (!origin.empty() && !words.accept("from"))
      return fail("expected `from`, the line and the file of the call, or the end of the line");
    if (origin.size() > max_callers) return fail("expected at most 100 calls");
    const auto number = words.number();
    if (!number) return fail("expected the number of a line, from 1");
    const auto name = words.quoted();
    if (!name) return fail("expected the name of a file in quotes");
    std::shared_ptr<Source>& file = files_[*name];
    if (file == nullptr) file = std::make_shared<Source>(Source{*name, {}});
    origin.push_back({file, *number, 0, 1});
  }
  directives_.push_back({line, std::move(origin)});
}

void LineMap::read_files(const std::function<std::string(const std::string& name)>& reader) {
  for (const auto& [name, file] : files_) file->text = reader(name);
}

const LineMap::Origin* LineMap::find(int line) const {
  const auto behind =
      std::upper_bound(directives_.begin(), directives_.end(), line,
                       [](int at, const Directive& directive) { return at < directive.line; });
  if (behind == directives_.begin()) return nullptr;
  const Origin& origin = std::prev(behind)->origin;
  return origin.empty() ? nullptr : &origin;
}

std::string without_lines(std::string_view text) {
  std::string rest;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] != '#') rest += line;
    text.remove_prefix(end);
  }
  return rest;
}

}  // namespace tessera
