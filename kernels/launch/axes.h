// Tensors with permuted or reshaped axes.
#pragma once
#include <cstdint>
#include <span>

#include "core/data/tensor.h"

namespace tessera {

// Returns a copy: axis d of the result is axis order[d] of `tensor`. `order` must have every axis
// once.
Tensor permuted(const Tensor& tensor, std::span<const std::int64_t> order);
// Returns the same elements in the same order. `shape` must have the same number of elements.
Tensor reshaped(Tensor tensor, Shape shape);
// Returns the product of the extents of these axes.
std::int64_t extent(const Shape& shape, std::span<const std::int64_t> axes);
// Returns the axes 0 .. rank - 1 that are in none of the lists, ascending.
std::vector<std::int64_t> other_axes(int rank, std::span<const std::int64_t> some,
                                     std::span<const std::int64_t> more = {});

}  // namespace tessera
