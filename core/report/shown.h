// Limits the length of input text in messages.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

inline constexpr std::size_t longest_message = 4000;
// Returns the text; if it is longer than `most` bytes, truncated and with its length.
std::string shown_text(std::string_view text, std::size_t most = 80);

}  // namespace tessera
