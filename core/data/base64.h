// Bytes as text (RFC 4648, section 4).
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

std::string base64(std::string_view bytes);
// Returns the bytes; none if the text is not base64 with its padding, contains other characters,
// also line breaks, or has unused bits that are not 0.
std::optional<std::string> parse_base64(std::string_view text);

}  // namespace tessera
