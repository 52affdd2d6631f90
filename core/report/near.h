// Suggestions for misspelled words.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace tessera {

// Returns the minimum number of edits of single bytes from `a` to `b`: insertions, removals,
// replacements and swaps of neighbours.
int edit_distance(std::string_view a, std::string_view b);
// Returns a candidate that differs from `word` at most in letter case, else the closest one (the
// first of several); empty if none is close enough for a typing error. Close enough is one edit,
// and one more for each three bytes of the word, but fewer edits than bytes. A word of at least
// three bytes is one edit away from a candidate that begins with it.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);
// Returns "; did you mean 'x'?" with the nearest() candidate; empty if there is none.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace tessera
