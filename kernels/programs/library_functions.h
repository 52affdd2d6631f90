// Signatures and meanings of the functions that every kernel may call, for documentation.
#pragma once
#include <string>
#include <vector>

#include "core/report/expected.h"

namespace tessera {

struct LibraryFunction {
  std::string name;
  std::string module;     // "library" or "collectives"
  std::string signature;  // as in its text: "zero_rows(out: U[m, n], from, tm, tn)"
  std::string meaning;    // comment above the function, on one line
};

// Returns the functions in the order of their texts. Fails if a text does not parse.
Expected<std::vector<LibraryFunction>> library_functions();

}  // namespace tessera
