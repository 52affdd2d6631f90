#include "core/kernel/kernel_config.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

KernelConfig clamped(KernelConfig config, std::int64_t k, std::int64_t n) {
  config.tiling.k = std::min(config.tiling.k, std::max<std::int64_t>(k, 1));
  config.tiling.n = std::min(config.tiling.n, std::max<std::int64_t>(n, 1));
  return config;
}

std::string to_string(const KernelConfig& config) {
  std::string text = fmt::format("{}, {} buffers", to_string(config.tiling), config.buffers);
  if (const std::string hints = hints_text(config.hints); !hints.empty()) text += ", " + hints;
  return text;
}

}  // namespace tessera
