// A text that the build embedded in the program (cmake/embed.cmake).
#pragma once
#include <cstddef>

namespace tessera {

// Tables of them are in the order of their names.
struct EmbeddedText {
  const char* name;  // of the file; programs without their ".tsr"
  const char* text;
};

}  // namespace tessera
