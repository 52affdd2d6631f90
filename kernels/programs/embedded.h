// The texts of kernels/programs/*.tsr as the build embedded them.
#pragma once
#include <cstddef>

namespace tessera {

struct EmbeddedProgram {
  const char* name;  // the file's name without ".tsr"
  const char* text;
};

// In the order of their names.
extern const EmbeddedProgram embedded_programs[];
extern const std::size_t embedded_program_count;

}  // namespace tessera
