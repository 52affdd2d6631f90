// A tiling as a caller of a product gives it.
#pragma once  // public
#include <cstdint>
#include <functional>
#include <optional>
#include <variant>

#include "core/kernel/tiling.h"

namespace tessera {

// A tiling looked up by problem size; nothing when there is none for it, which is an error.
using LutFn = std::function<std::optional<Tiling>(std::int64_t m, std::int64_t k, std::int64_t n)>;
// None: the device's choice, on the interpreter the machine profile's.
using TilingSpec = std::variant<std::monostate, Tiling, LutFn>;

}  // namespace tessera
