// How large memory may be declared, by a text or by a pass.
#pragma once
#include <initializer_list>
#include <string>

#include "core/data/tensor.h"

namespace tessera {

inline constexpr std::int64_t max_extent = std::int64_t{1} << 40;  // and elements of a shape

// Why no memory has this shape; empty where some may.
std::string shape_problem(const Shape& shape);

// Product of factors of at least 0 each; INT64_MAX if it does not fit in 64 bits.
std::int64_t saturated_product(std::initializer_list<std::int64_t> factors);

}  // namespace tessera
