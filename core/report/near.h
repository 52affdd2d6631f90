// Suggestions for misspelled words.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace tessera {

// Returns the number of single-character edits (including swaps of neighbours) from `a` to `b`.
int edit_distance(std::string_view a, std::string_view b);
// Returns a candidate that differs from `word` only in letter case, else the closest one; empty if
// none is close enough for a typing error. A word of at least three letters is close to a candidate
// that begins with it.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);
// Returns "; did you mean 'x'?" with the nearest() candidate; empty if there is none.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace tessera
