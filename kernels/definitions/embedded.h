// Texts of kernels/definitions/*.tsr, embedded by the build.
#pragma once
#include "core/report/embedded_text.h"

namespace tessera {

// In the order of their names.
extern const EmbeddedText embedded_definitions[];
extern const std::size_t embedded_definition_count;

}  // namespace tessera
