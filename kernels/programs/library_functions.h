// The functions that every kernel may call, for the reader: how each is called, and what it does.
#pragma once
#include <string>
#include <vector>

#include "core/report/expected.h"

namespace tessera {

struct LibraryFunction {
  std::string name;
  std::string module;     // "library" or "collectives"
  std::string signature;  // "zero_rows(out: U[m, n], from, tm, tn)", as its text has it
  std::string meaning;    // the comment above it, on one line
};

// In the order of their texts. An error when a text does not parse.
Expected<std::vector<LibraryFunction>> library_functions();

}  // namespace tessera
