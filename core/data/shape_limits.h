// Limits for the size of memories that a program or a pass declares.
#pragma once
#include <initializer_list>
#include <string>

#include "core/data/tensor.h"

namespace tessera {

// Maximum extent, and maximum number of elements of a shape.
inline constexpr std::int64_t max_extent = std::int64_t{1} << 40;

// Returns the reason why no memory can have this shape; empty if the shape is valid.
std::string shape_problem(const Shape& shape);

// Returns the product of non-negative factors; INT64_MAX if it does not fit in 64 bits.
std::int64_t saturated_product(std::initializer_list<std::int64_t> factors);

}  // namespace tessera
