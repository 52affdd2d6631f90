// Words that a program can call without a definition.
#pragma once
#include <string_view>
#include <vector>

namespace tessera {

// True for an op, or a word that call_word() lowers. Functions of the library are not words: a file
// may define a function with the same name.
bool is_word(std::string_view name);
// Returns all words and ops that can be called.
std::vector<std::string_view> words();

}  // namespace tessera
