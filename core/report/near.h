// The word a user probably meant.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace tessera {

// How many single-character edits (swaps of neighbours included) turn `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);
// The candidate closest to `word`, or empty when none is close enough to be a slip of it.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);
// "; did you mean 'x'?", or empty.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace tessera
