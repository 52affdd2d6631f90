// Specification of a tiling by the caller of a product.
#pragma once  // public
#include <cstdint>
#include <functional>
#include <optional>
#include <variant>

#include "core/kernel/tiling.h"

namespace tessera {

// Returns the tiling for the extents of a product, in elements. Without a result the call fails.
using LutFn = std::function<std::optional<Tiling>(std::int64_t m, std::int64_t k, std::int64_t n)>;
// Nothing (the device's choice; on the interpreter the choice of the machine profile), a tiling, or
// a function that returns it.
using TilingSpec = std::variant<std::monostate, Tiling, LutFn>;

}  // namespace tessera
