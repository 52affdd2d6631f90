// The texts of kernels/programs/*.tsr as the build embedded them.
#pragma once
#include <cstddef>

namespace tessera {

struct EmbeddedDefinition {
  const char* name;  // the file's name without ".tsr"
  const char* text;
};

// In the order of their names.
extern const EmbeddedDefinition embedded_definitions[];
extern const std::size_t embedded_definition_count;

}  // namespace tessera
