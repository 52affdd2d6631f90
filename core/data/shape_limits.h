// How large memory may be declared, by a text or by a pass.
#pragma once
#include <string>

#include "core/data/tensor.h"

namespace tessera {

inline constexpr std::int64_t max_extent = std::int64_t{1} << 40;  // and elements of a shape

// Why no memory has this shape; empty where some may.
std::string shape_problem(const Shape& shape);

}  // namespace tessera
