#include "cli/reports/colour.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "core/report/finding.h"

namespace tessera::cli {
namespace {

constexpr std::string_view red = "\x1b[1;31m", green = "\x1b[32m", yellow = "\x1b[1;33m",
                           cyan = "\x1b[1;36m", bold = "\x1b[1m", plain = "\x1b[0m";

// Width of the label at the start of a report line.
constexpr std::size_t label_columns = 10;
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> labels = {
    {{"proved", green},
     {"ok", green},
     {"explored", yellow},
     {"refuted", red},
     {"mismatch", red},
     {"warning", yellow}}};

std::string in_colour(std::string_view line, std::size_t from, std::size_t size,
                      std::string_view colour) {
  return fmt::format("{}{}{}{}{}", line.substr(0, from), colour, line.substr(from, size), plain,
                     line.substr(from + size));
}

// Position of "kind: " at the start of the line or after the place of a message; npos if absent.
std::size_t find_kind(std::string_view line, std::string_view kind) {
  for (std::size_t at = line.find(kind); at != std::string_view::npos;
       at = line.find(kind, at + 1)) {
    const bool begins = at == 0 || line.substr(0, at).ends_with(": ");
    if (begins && line.substr(at + kind.size()).starts_with(": ")) return at;
  }
  return std::string_view::npos;
}

std::string_view label_of(std::string_view line) {
  const std::size_t end = line.find(' ');
  if (line.size() <= label_columns || end == 0 || end >= label_columns) return {};
  const bool is_column =
      line.substr(end, label_columns - end).find_first_not_of(' ') == std::string_view::npos &&
      line[label_columns] != ' ';
  return is_column ? line.substr(0, end) : std::string_view{};
}

}  // namespace

std::string coloured(std::string_view line) {
  const std::size_t caret = line.find_first_not_of(' ');
  if (caret != std::string_view::npos && line[caret] == '^' &&
      line.find_first_not_of("^~", caret) == std::string_view::npos)
    return in_colour(line, caret, line.size() - caret, green);
  for (const auto& [kind, colour] :
       {std::pair<std::string_view, std::string_view>{"error", red}, {"note", cyan}})
    if (const std::size_t at = find_kind(line, kind); at != std::string_view::npos)
      return in_colour(line, at, kind.size(), colour);
  for (const FindingKind kind : finding_kinds()) {
    const std::string_view text = name(kind);
    if (const std::size_t at = find_kind(line, text); at != std::string_view::npos)
      return in_colour(line, at, text.size(), red);
  }
  const std::string_view label = label_of(line);
  if (label.empty()) return std::string(line);
  for (const auto& [word, colour] : labels)
    if (label == word) return in_colour(line, 0, label.size(), colour);
  return in_colour(line, 0, label.size(), bold);
}

bool shows_colours(int fd) {
  const char* const off = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return isatty(fd) == 1 && (off == nullptr || *off == '\0') && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

std::streamsize ColouredLines::xsputn(const char* text, std::streamsize count) {
  std::string_view rest(text, static_cast<std::size_t>(count));
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    begun_ += rest.substr(0, end);
    rest.remove_prefix(end + 1);
    const std::string line = is_partly_out_ ? begun_ : coloured(begun_);
    begun_.clear();
    is_partly_out_ = false;
    if (!pass(line) || !pass("\n")) return 0;
  }
  begun_ += rest;
  return count;
}

int ColouredLines::sync() {
  if (!begun_.empty()) {
    is_partly_out_ = true;
    if (!pass(std::exchange(begun_, {}))) return -1;
  }
  return under()->pubsync();
}

}  // namespace tessera::cli
