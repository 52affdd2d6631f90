#include "core/report/diag.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/report/printable.h"
#include "core/report/shown.h"
#include "core/report/source_line.h"

namespace tessera {
namespace {

constexpr std::size_t max_shown = 20;
constexpr std::size_t longest_line = 1000;

// Only the first byte of a UTF-8 character takes a column on the screen.
bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// Returns a blank for each printed character of the text. Tabs are kept, so that the alignment
// holds for every tab width.
std::string blanks(std::string_view text) {
  std::string result;
  for (const char c : printable_line(text))
    if (starts_character(c)) result += c == '\t' ? '\t' : ' ';
  return result;
}

// Columns and widths are in bytes of the line.
std::string caret_line(std::string_view line, const Loc& loc) {
  const auto column = static_cast<std::size_t>(std::max(loc.column, 1));
  const auto begin = std::min(column - 1, line.size());
  const auto end = std::min(begin + static_cast<std::size_t>(std::max(loc.width, 1)), line.size());
  const std::size_t width = blanks(line.substr(begin, end - begin)).size();
  return blanks(line.substr(0, begin)) + '^' +
         std::string(std::max<std::size_t>(width, 1) - 1, '~');
}

// Continued lines are indented, so that text within a message cannot look like a separate report.
std::string message_lines(std::string_view message) {
  while (message.ends_with('\n')) message.remove_suffix(1);
  std::string result;
  for (const char c : printable(shown_text(message, longest_message)))
    result += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return result;
}

}  // namespace

std::string shown_text(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && !starts_character(text[end])) --end;
  return fmt::format("{}... ({} bytes)", text.substr(0, end), text.size());
}

std::string render_place(const Loc& loc, std::string_view kind, std::string_view message) {
  const std::string shown = message_lines(message);
  if (!loc) return fmt::format("{}: {}\n", kind, shown);
  const bool is_whole_line = loc.column == 0;
  const std::string column = is_whole_line ? "" : fmt::format(":{}", loc.column);
  auto text = fmt::format("{}:{}{}: {}: {}\n", printable_line(loc.source->name), loc.line, column,
                          kind, shown);
  const std::optional<std::string_view> line = source_line(loc.source, loc.line);
  if (line && line->empty() && is_whole_line) return text;  // file was not available
  if (line && line->size() <= longest_line) {
    text += printable_line(*line) + '\n';
    if (!is_whole_line) text += caret_line(*line, loc) + '\n';
  } else if (line) {
    // A very long line is truncated to a part that begins at the location.
    const auto at = std::min(static_cast<std::size_t>(std::max(loc.column, 1)) - 1, line->size());
    text += printable_line(shown_text(line->substr(at), longest_line)) + "\n^\n";
  }
  return text;
}

std::string render(const Diag& diag) {
  auto text = render_place(diag.loc, "error", diag.message);
  for (const Note& note : diag.notes) text += render_place(note.loc, "note", note.message);
  return text;
}

Diags in_file(const std::string& path, Diags diags) {
  for (Diag& diag : diags) diag.message = fmt::format("{}: {}", path, diag.message);
  return diags;
}

std::string render(const Diags& diags) {
  std::string text;
  for (std::size_t i = 0; i < diags.size() && i < max_shown; ++i) text += render(diags[i]);
  if (diags.size() > max_shown) text += fmt::format("note: {} more\n", diags.size() - max_shown);
  return text;
}

}  // namespace tessera
