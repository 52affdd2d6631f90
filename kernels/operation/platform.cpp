#include "kernels/operation/platform.h"

#include <fmt/format.h>

#include <array>
#include <span>

#include "core/report/shown.h"

namespace tessera {
namespace {

constexpr std::array<std::string_view, 7> platforms = {"auto", "triton",      "pallas",   "cuda",
                                                       "xla",  "interpreter", "reference"};
constexpr std::array<std::string_view, 4> backends = {"any", "gpu", "tpu", "cpu"};

template <typename Enum>
Expected<Enum> parse(std::string_view what, std::string_view text,
                     std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  return error(
      fmt::format("'{}' is no {}; there are {}", shown_text(text), what, fmt::join(names, ", ")));
}

}  // namespace

std::string_view name(Platform platform) { return platforms[static_cast<std::size_t>(platform)]; }
std::string_view name(Backend backend) { return backends[static_cast<std::size_t>(backend)]; }

Expected<Platform> parse_platform(std::string_view text) {
  return parse<Platform>("platform", text, platforms);
}

Expected<Backend> parse_backend(std::string_view text) {
  return parse<Backend>("backend", text, backends);
}

std::string_view device_of(Platform platform) {
  const bool is_ours = platform == Platform::Cuda || platform == Platform::Interpreter ||
                       platform == Platform::Reference;
  return is_ours ? name(platform) : std::string_view();
}

}  // namespace tessera
