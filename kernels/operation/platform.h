// Platforms and backends of operations, by ejKernel's names and by our own.
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
  // The name outlives the platform.
  explicit constexpr Platform(std::string_view name) : name_(name) {}
  // "auto", "reference", a device's name.
  constexpr std::string_view name() const { return name_; }
  friend constexpr bool operator==(const Platform&, const Platform&) = default;

  static const Platform Auto;       // the best device that is available
  static const Platform Triton;     // nothing of ours is registered for it
  static const Platform Pallas;     // the same
  static const Platform Xla;        // the same
  static const Platform Reference;  // the Eigen reference

 private:
  std::string_view name_ = "auto";
};
inline constexpr Platform Platform::Auto;
inline constexpr Platform Platform::Triton{"triton"};
inline constexpr Platform Platform::Pallas{"pallas"};
inline constexpr Platform Platform::Xla{"xla"};
inline constexpr Platform Platform::Reference{"reference"};
// Of the device that simulates a machine.
Platform simulated_platform();

// The kind of processor.
enum class Backend : std::uint8_t { Any, Gpu, Tpu, Cpu };

// As callers write it: "auto", "reference", a device's name.
inline std::string_view name(Platform platform) { return platform.name(); }
std::string_view name(Backend backend);
// By that name. The error for another text lists the names.
Expected<Platform> parse_platform(std::string_view text);
Expected<Backend> parse_backend(std::string_view text);

// The platform of an algorithm; Auto selects the best device that is available. The error for a
// platform or a backend without an implementation lists the existing ones.
Expected<Platform> resolve_platform(std::string_view algorithm, Platform asked,
                                    Backend backend = Backend::Any);

// The device of a platform; null where it is none of ours.
const Device* find_device(Platform platform);
// The name in GroupedMatmulOptions::device of a device or the reference; empty for the others.
std::string_view device_of(Platform platform);

}  // namespace tessera
