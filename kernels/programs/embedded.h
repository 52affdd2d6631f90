// Texts of kernels/programs/*.tsr, embedded by the build.
#pragma once
#include "core/report/embedded_text.h"

namespace tessera {

// In the order of their names.
extern const EmbeddedText embedded_programs[];
extern const std::size_t embedded_program_count;

}  // namespace tessera
