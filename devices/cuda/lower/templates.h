// The files of devices/cuda/templates, embedded by the build.
#pragma once
#include "core/report/embedded_text.h"

namespace tessera::cuda {

// *.cuh, sorted by name.
extern const EmbeddedText embedded_templates[];
extern const std::size_t embedded_template_count;

// templates/*.cu.in: sources with named holes (source_template.h).
extern const EmbeddedText source_templates[];
extern const std::size_t source_template_count;

}  // namespace tessera::cuda
