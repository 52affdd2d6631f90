// A tiling as a caller of a product gives it.
#pragma once  // public
#include <cstdint>
#include <functional>
#include <optional>
#include <variant>

#include "core/kernel/tiling.h"

namespace tessera {

// A tiling by the extents of the product, in elements; none where there is none for it, which makes
// the call an error.
using LutFn = std::function<std::optional<Tiling>(std::int64_t m, std::int64_t k, std::int64_t n)>;
// Nothing (the device's choice; on the interpreter that of the machine profile), a tiling, or a
// function that gives it.
using TilingSpec = std::variant<std::monostate, Tiling, LutFn>;

}  // namespace tessera
