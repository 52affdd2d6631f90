// What a program can call without defining it.
#pragma once
#include <string_view>
#include <vector>

namespace tessera {

// An op, or a word that call_word() lowers. The functions of the library are no words: a file may
// have one of the same name.
bool is_word(std::string_view name);
// All that can be called so.
std::vector<std::string_view> words();

}  // namespace tessera
