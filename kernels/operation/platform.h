// Platforms and backends of operations, with ejKernel's names and the names of Tessera's devices.
#pragma once  // public
#include <cstdint>
#include <string>
#include <string_view>

#include "core/report/expected.h"

namespace tessera {

class Device;

// Platform of an operation: the name of a device, "reference" for the Eigen reference, or "auto"
// for the best device that is available. The names triton, pallas and xla are accepted, but have no
// implementation.
class Platform {
 public:
  constexpr Platform() = default;  // Auto
  // The name must outlive the platform.
  explicit constexpr Platform(std::string_view name) : name_(name) {}
  // "auto", "reference" or the name of a device.
  constexpr std::string_view name() const { return name_; }
  friend constexpr bool operator==(const Platform&, const Platform&) = default;

  static const Platform Auto;       // the best device that is available
  static const Platform Triton;     // no implementation
  static const Platform Pallas;     // no implementation
  static const Platform Xla;        // no implementation
  static const Platform Reference;  // the Eigen reference

 private:
  std::string_view name_ = "auto";
};
inline constexpr Platform Platform::Auto;
inline constexpr Platform Platform::Triton{"triton"};
inline constexpr Platform Platform::Pallas{"pallas"};
inline constexpr Platform Platform::Xla{"xla"};
inline constexpr Platform Platform::Reference{"reference"};
// Returns the platform of the simulated device.
Platform simulated_platform();

// Kind of processor.
enum class Backend : std::uint8_t { Any, Gpu, Tpu, Cpu };

// Returns "auto", "reference" or the name of a device.
inline std::string_view name(Platform platform) { return platform.name(); }
// Returns "any", "gpu", "tpu" or "cpu".
std::string_view name(Backend backend);
// Returns the platform or backend of that name. Fails for an unknown name, with a list of the
// names.
Expected<Platform> parse_platform(std::string_view text);
Expected<Backend> parse_backend(std::string_view text);

// Returns the platform that runs an algorithm, which is never Auto. asked: Auto selects the best
// device that is available, otherwise the reference, which accepts any backend. Fails if the
// platform or backend has no implementation, with a list of the implementations. Does not check
// whether the device `asked` is available. algorithm: for the message.
Expected<Platform> resolve_platform(std::string_view algorithm, Platform asked,
                                    Backend backend = Backend::Any);

// Returns the device of a platform, or null if the platform is not a device.
const Device* find_device(Platform platform);
// Returns the platform's name for GroupedMatmulOptions::device if the platform is a device or the
// reference; otherwise empty.
std::string_view device_of(Platform platform);

}  // namespace tessera
