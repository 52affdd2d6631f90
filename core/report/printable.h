// Makes text from program texts, files and command lines safe to print.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

// Returns the text with escapes for all characters that a terminal would execute instead of
// showing: control characters (C0 except tab and newline, DEL, C1), characters that change the
// direction of text, line separators, and bytes that are not UTF-8. A character becomes `\u001b`,
// as in JSON; a byte becomes `\xff`. Idempotent.
std::string printable(std::string_view text);
// Returns the same for text that must stay on one line: newlines are also escaped.
std::string printable_line(std::string_view text);

// Returns the number of bytes, 1 to 3, of an incomplete UTF-8 character at the end of the text; 0
// if there is none.
std::size_t unfinished_bytes(std::string_view text);

}  // namespace tessera
