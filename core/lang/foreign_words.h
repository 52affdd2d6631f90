// Words of other languages and frameworks, and the form of this language that does the same.
#pragma once
#include <string_view>

namespace tessera {

// Each returns an empty text for a word that is not known.

// In place of a call of a function of this name.
std::string_view instead_of(std::string_view function);
// In place of a value of this name.
std::string_view instead_of_name(std::string_view name);
// In place of a member of memory, `x.name` or `x.name()`.
std::string_view instead_of_member(std::string_view name);
// The element type here of a type of NumPy, JAX or PyTorch.
std::string_view type_instead_of(std::string_view type);
// True for a word that begins a definition elsewhere: `let y = 1`.
bool begins_definition(std::string_view word);

}  // namespace tessera
