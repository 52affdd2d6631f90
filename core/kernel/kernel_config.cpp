#include "core/kernel/kernel_config.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

KernelConfig clamped(const KernelConfig& config, std::int64_t m, std::int64_t k, std::int64_t n) {
  const auto at_least_one = [](std::int64_t value) { return std::max<std::int64_t>(value, 1); };
  const Tiling& t = config.tiling;
  const std::int64_t padded = (at_least_one(m) + t.m - 1) / t.m * t.m;
  KernelConfig result = config;
  result.tiling = {std::min(t.m, padded), std::min(t.k, at_least_one(k)),
                   std::min(t.n, at_least_one(n))};
  return result;
}

std::string to_string(const KernelConfig& config) {
  std::string text = fmt::format("{}, {} buffers", to_string(config.tiling), config.buffers);
  if (const std::string hints = hints_text(config.hints); !hints.empty()) text += ", " + hints;
  return text;
}

}  // namespace tessera
