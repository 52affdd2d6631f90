// Text from program texts, files and command lines, safe to print.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

// Escapes everything that a terminal would execute instead of showing it: control characters (C0
// except tab and newline, DEL, C1), characters that change the direction of text, line separators,
// and bytes that are not UTF-8. A character becomes `\u001b`, which JSON reads alike; a byte
// becomes `\xff`. Idempotent.
std::string printable(std::string_view text);
// The same for text that must stay on one line: newlines are escaped too.
std::string printable_line(std::string_view text);

// Number of bytes at the end of the text that begin a UTF-8 character and do not complete it.
std::size_t unfinished_bytes(std::string_view text);

}  // namespace tessera
