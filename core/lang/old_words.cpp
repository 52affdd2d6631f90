#include "core/lang/old_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

// clang-format off
constexpr OldWord all[] = {
    {"multiply_scaled", "acc, a, sa, b, sb",
     "acc += scaled(a, sa) . scaled(b, sb)", 1},
    {"multiply_scaled_transposed", "acc, a, sa, b, sb",
     "acc += scaled(a, sa) . transpose(scaled(b, sb))", 1},
    {"multiply_scaled_rows", "acc, a, sa, b, sb, begin, end",
     "acc += transpose(scaled(a[begin .. end, :], sa[begin / 32 .. end / 32, :])) . "
     "scaled(b[begin .. end, :], sb[begin / 32 .. end / 32, :])", 1},
};
// clang-format on

}  // namespace

std::span<const OldWord> old_words() { return all; }

const OldWord* find_old_word(std::string_view word) {
  const auto found = std::find_if(std::begin(all), std::end(all),
                                  [&](const OldWord& o) { return o.word == word; });
  return found == std::end(all) ? nullptr : found;
}

std::string refusal(const OldWord& old) {
  return fmt::format("`{}({})` is now written `{}`", old.word, old.parameters, old.now);
}

}  // namespace tessera
