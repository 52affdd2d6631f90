// Where an operation may run, by the names that ejKernel's callers know and by our own.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/report/expected.h"

namespace tessera {

// Triton, Pallas and XLA are names that callers may give; nothing of ours is registered for them.
enum class Platform : std::uint8_t { Auto, Triton, Pallas, Cuda, Xla, Interpreter, Reference };
enum class Backend : std::uint8_t { Any, Gpu, Tpu, Cpu };

std::string_view name(Platform platform);  // "auto", "cuda", ...
std::string_view name(Backend backend);
// An unknown name is a ValueError that lists the known ones.
Expected<Platform> parse_platform(std::string_view text);
Expected<Backend> parse_backend(std::string_view text);

// The name in GroupedMatmulOptions::device of a platform that we have; empty for the others.
std::string_view device_of(Platform platform);

}  // namespace tessera
