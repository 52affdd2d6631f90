// What an input gave, as a message may show it: no more of it than people read.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

inline constexpr std::size_t longest_message = 4000;
// The text, cut where it is longer, and then with its length.
std::string shown_text(std::string_view text, std::size_t most = 80);

}  // namespace tessera
