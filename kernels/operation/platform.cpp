#include "kernels/operation/platform.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "core/report/shown.h"
#include "core/report/try.h"
#include "devices/devices.h"

namespace tessera {
namespace {

constexpr std::array<std::string_view, 4> backends = {"any", "gpu", "tpu", "cpu"};

// Returns the index of `text` in `names`. Fails if it is not there; the message calls it a `what`.
Expected<std::size_t> position(std::string_view what, std::string_view text,
                               std::span<const std::string_view> names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  return error(fmt::format("'{}' is not a {}: expected one of {}", shown_text(text), what,
                           fmt::join(names, ", ")));
}

}  // namespace

std::string_view name(Backend backend) { return backends[static_cast<std::size_t>(backend)]; }

Platform simulated_platform() { return Platform(simulated_device().name()); }

const Device* find_device(Platform platform) {
  const auto& all = devices();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Device* device) {
    return device->name() == platform.name();
  });
  return found == all.end() ? nullptr : *found;
}

Expected<Platform> parse_platform(std::string_view text) {
  std::vector<std::string_view> names = {"auto", "triton", "pallas", "xla"};
  for (const Device* device : devices()) names.push_back(device->name());
  names.push_back("reference");
  return Platform(names[TRY(position("platform", text, names))]);
}

Expected<Backend> parse_backend(std::string_view text) {
  return static_cast<Backend>(TRY(position("backend", text, backends)));
}

Expected<Platform> resolve_platform(std::string_view algorithm, Platform asked, Backend backend) {
  const auto backend_of = [](const Device& device) {
    return device.supports_launch() ? Backend::Gpu : Backend::Any;
  };
  if (asked == Platform::Auto) {
    asked = Platform::Reference;
    for (const Device* device : devices())
      if (asked == Platform::Reference && device->available().ok) asked = Platform(device->name());
  }
  if (asked == Platform::Reference) return asked;
  const Device* const device = find_device(asked);
  if (device != nullptr && (backend == Backend::Any || backend_of(*device) == Backend::Any ||
                            backend_of(*device) == backend))
    return asked;
  Diag none = error(fmt::format("No implementation found for algorithm={}, platform={}, backend={}",
                                algorithm, name(asked), name(backend)));
  std::string there;
  for (const Device* known : devices())
    there += fmt::format("{} on {}, ", known->name(), name(backend_of(*known)));
  none.notes.push_back({{}, fmt::format("there are {}reference on any", there)});
  return none;
}

std::string_view device_of(Platform platform) {
  const bool is_ours = platform == Platform::Reference || find_device(platform) != nullptr;
  return is_ours ? platform.name() : std::string_view();
}

}  // namespace tessera
