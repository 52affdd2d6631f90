// The texts of devices/cuda/templates as the build embedded them.
#pragma once
#include <cstddef>

namespace tessera::cuda {

struct EmbeddedTemplate {
  const char* name;  // "order.cuh"
  const char* text;
};

// *.cuh, in the order of their names.
extern const EmbeddedTemplate embedded_templates[];
extern const std::size_t embedded_template_count;

// templates/*.cu.in: sources with named holes (source_template.h).
extern const EmbeddedTemplate source_templates[];
extern const std::size_t source_template_count;

}  // namespace tessera::cuda
