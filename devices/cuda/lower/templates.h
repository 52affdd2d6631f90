// The texts of devices/cuda/templates as the build embedded them.
#pragma once
#include "core/report/embedded_text.h"

namespace tessera::cuda {

// *.cuh, in the order of their names.
extern const EmbeddedText embedded_templates[];
extern const std::size_t embedded_template_count;

// templates/*.cu.in: sources with named holes (source_template.h).
extern const EmbeddedText source_templates[];
extern const std::size_t source_template_count;

}  // namespace tessera::cuda
