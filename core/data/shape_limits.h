// Limits for the size of memories that a program or a pass declares.
#pragma once
#include <initializer_list>
#include <string>

#include "core/data/tensor.h"

namespace tessera {

// Maximum extent, and maximum number of elements of a shape.
inline constexpr std::int64_t max_extent = std::int64_t{1} << 40;

// Returns the reason why no memory can have this shape: an extent outside [0, max_extent], or too
// many elements. Empty if the shape is valid. The number of dimensions is not checked.
std::string shape_problem(const Shape& shape);

// Returns the product of non-negative factors: 0 if any is 0, else INT64_MAX if it does not fit in
// 64 bits. 1 without factors.
std::int64_t saturated_product(std::initializer_list<std::int64_t> factors);

}  // namespace tessera
