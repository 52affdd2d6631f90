// Standard layout of a text: two spaces per brace level, no trailing blanks, single empty lines, a
// blank after each comma. Alignment within a line, and continuation lines in brackets, are not
// changed.
#include "core/lang/language.h"
#include "core/lang/lexer.h"
#include "core/report/guarded.h"
#include "core/report/try.h"

namespace tessera {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

// Replaces tabs by blanks and adds a blank after each comma, except in comments and quotes.
std::string spaced(std::string_view line) {
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (!quoted && c == '/' && i + 1 < line.size() && line[i + 1] == '/') {
      out += line.substr(i);
      return out;
    }
    if (c == '"' && (i == 0 || line[i - 1] != '\\')) quoted = !quoted;
    out += c == '\t' && !quoted ? ' ' : c;
    if (c == ',' && !quoted && i + 1 < line.size() && line[i + 1] != ' ' && line[i + 1] != '\t')
      out += ' ';
  }
  return out;
}

// Counts of opening and closing brackets in a line, ignoring comments and quotes.
struct Brackets {
  int braces = 0, closing_first = 0, nesting = 0;
};

Brackets count(std::string_view line) {
  Brackets b;
  bool quoted = false, leading = true;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (!quoted && c == '/' && i + 1 < line.size() && line[i + 1] == '/') break;
    if (c == '"' && (i == 0 || line[i - 1] != '\\')) quoted = !quoted;
    if (quoted) continue;
    if (c == '}' && leading) ++b.closing_first;
    if (c != '}' && c != ' ') leading = false;
    if (c == '{') ++b.braces;
    if (c == '}') --b.braces;
    if (c == '(' || c == '[') ++b.nesting;
    if (c == ')' || c == ']') --b.nesting;
  }
  return b;
}

bool starts_with_word(std::string_view line, std::string_view word) {
  return line.starts_with(word) && (line.size() == word.size() || line[word.size()] == ' ');
}

// True if a line without indentation, outside all braces, begins a definition.
bool opens_definition(std::string_view line) {
  return starts_with_word(line, "kernel") || starts_with_word(line, "function");
}

}  // namespace

Expected<std::string> format(std::shared_ptr<const Source> source) try {
  TRY(parse(source));
  std::string out;
  int braces = 0, nesting = 0,
      results = -1;  // brace depth of a `return` with entries; -1: none
  bool blank = true, declaring = false, continued = false;
  for (std::string_view raw : lines_of(source->text)) {
    const std::string line = spaced(trimmed(raw));
    if (line.empty()) {
      if (!blank) out += '\n';
      blank = true;
      continue;
    }
    blank = false;
    const Brackets b = count(line);
    if (nesting > 0 || continued) {
      const std::size_t margin = raw.find_first_not_of(" \t");
      out += std::string(margin, ' ') + line + '\n';
    } else {
      const bool comment = line.starts_with("//");
      if (braces == 0 && opens_definition(line)) declaring = true;
      int depth = braces - b.closing_first;
      const bool declaration =
          declaring && braces == 0 && !comment && !opens_definition(line) && !line.starts_with('{');
      int margin = 2 * (depth + (declaration ? 1 : 0));
      if (declaring && braces > 0) margin = 2 * (depth + 1);  // declarations under a condition
      if (results >= 0 && depth < results) results = -1;
      if (results >= 0)
        margin += 7;  // aligned with the first entry of `return`
      else if (starts_with_word(line, "return"))
        results = depth;
      out += std::string(static_cast<std::size_t>(margin), ' ') + line + '\n';
      if (declaring && braces == 0 && line.starts_with('{')) declaring = false;
      if (declaring && braces == 0 && opens_definition(line) && b.braces > 0) declaring = false;
      if (opens_definition(line) && line.find('{') == std::string::npos &&
          line.find(") =") != std::string::npos)
        declaring = false;
    }
    braces += b.braces;
    nesting += b.nesting;
    const std::string_view code = trimmed(std::string_view(line).substr(0, line.find("//")));
    continued = nesting == 0 && code.ends_with(',');
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
} catch (...) {
  return given_up("formatting the program");
}

}  // namespace tessera
