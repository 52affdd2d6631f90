#include "cli/args/device_parts.h"

#include <fmt/format.h>

#include <cstring>

namespace tessera::cli {

bool has_device_hole(std::string_view name) {
  return name.find(device_hole) != std::string_view::npos;
}

std::string with_number(std::string_view name, std::string_view hole, std::size_t number) {
  const std::size_t at = name.find(hole);
  if (at == std::string_view::npos) return std::string(name);
  return fmt::format("{}{}{}", name.substr(0, at), number, name.substr(at + hole.size()));
}

Tensor part_of(const Tensor& whole, std::size_t index) {
  const Shape shape(whole.shape().begin() + 1, whole.shape().end());
  Tensor part = Tensor::uninitialised(whole.dtype(), shape);
  const auto bytes = static_cast<std::size_t>(part.bytes());
  if (bytes > 0) std::memcpy(part.data(), whole.data() + index * bytes, bytes);
  return part;
}

Tensor stacked(const std::vector<const Tensor*>& parts) {
  Shape shape = parts.front()->shape();
  shape.insert(shape.begin(), static_cast<std::int64_t>(parts.size()));
  Tensor whole = Tensor::uninitialised(parts.front()->dtype(), shape);
  const auto bytes = static_cast<std::size_t>(parts.front()->bytes());
  for (std::size_t i = 0; i < parts.size() && bytes > 0; ++i)
    std::memcpy(whole.data() + i * bytes, parts[i]->data(), bytes);
  return whole;
}

}  // namespace tessera::cli
