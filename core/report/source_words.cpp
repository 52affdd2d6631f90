#include "core/report/source_words.h"

#include <algorithm>
#include <string_view>

#include "core/report/source_line.h"

namespace tessera {

std::string source_words(const Loc& loc, std::size_t longest) {
  if (!loc) return "";
  std::string_view text = source_line(loc.source, loc.line).value_or("");
  if (loc.width > 1 && loc.column >= 1)
    text = text.substr(std::min(static_cast<std::size_t>(loc.column) - 1, text.size()),
                       static_cast<std::size_t>(loc.width));
  std::string words;
  for (const char letter : text)
    if (letter != ' ' || (!words.empty() && words.back() != ' ')) words += letter;
  if (words.size() > longest) words = words.substr(0, longest - 3) + "...";
  return words;
}

}  // namespace tessera
