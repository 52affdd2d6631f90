// Words that texts could call before some version of the language, with what is written now. Both
// the refusal of such a word and the upgrade of a text that has it come from here.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

struct OldWord {
  std::string_view word;
  std::string_view parameters;  // of its call, in order: "acc, a"
  std::string_view now;         // the same with today's words, of these parameters
  std::int64_t since;           // the first version without the word
};

std::span<const OldWord> old_words();
const OldWord* find_old_word(std::string_view word);  // null: there was none

// "`old(a)` is now written `new(a)`"
std::string refusal(const OldWord& old);

}  // namespace tessera
