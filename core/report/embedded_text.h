// A text embedded in the program at build time (cmake/embed.cmake).
#pragma once
#include <cstddef>

namespace tessera {

// Tables of embedded texts are sorted by name.
struct EmbeddedText {
  const char* name;  // file name; programs without their ".tsr"
  const char* text;
};

}  // namespace tessera
