// Words of other languages and frameworks, with the equivalent form in this language.
#pragma once
#include <string_view>

namespace tessera {

// Replacements for words of other languages, as texts for messages. Each function returns an empty
// text for an unknown word.

// Replacement for a call of a function with this name.
std::string_view instead_of(std::string_view function);
// Replacement for a value with this name.
std::string_view instead_of_name(std::string_view name);
// Replacement for a member of memory, `x.name` or `x.name()`.
std::string_view instead_of_member(std::string_view name);
// Element type for a type of NumPy, JAX or PyTorch.
std::string_view type_instead_of(std::string_view type);
// True for a word that begins a definition in another language: `let y = 1`.
bool begins_definition(std::string_view word);

}  // namespace tessera
