// The texts of devices/cuda/templates/*.cuh as the build embedded them.
#pragma once
#include <cstddef>

namespace tessera::cuda {

struct EmbeddedTemplate {
  const char* name;  // "order.cuh"
  const char* text;
};

// In the order of their names.
extern const EmbeddedTemplate embedded_templates[];
extern const std::size_t embedded_template_count;

}  // namespace tessera::cuda
