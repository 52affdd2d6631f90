// Limits the length of input text in messages.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

// Max bytes of a message in reports.
inline constexpr std::size_t longest_message = 4000;
// Returns the text. If it is longer than `most` bytes, returns its first `most` bytes, or a few
// less to split no UTF-8 character, and then "... (N bytes)" with its full length. The result may
// therefore be longer than `most`.
std::string shown_text(std::string_view text, std::size_t most = 80);

}  // namespace tessera
