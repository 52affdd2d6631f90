// Functions that other languages have, and what does the same here.
#pragma once
#include <string_view>

namespace tessera {

// What is written in place of a call of this name; empty for a name that is not known.
std::string_view instead_of(std::string_view function);

}  // namespace tessera
