// Tensors with their axes in another order, or cut into other axes.
#pragma once
#include <cstdint>
#include <span>

#include "core/data/tensor.h"

namespace tessera {

// Axis d of the result is axis order[d] of `tensor`; `order` names every axis once.
Tensor permuted(const Tensor& tensor, std::span<const std::int64_t> order);
// The same elements in the same order; `shape` has as many.
Tensor reshaped(Tensor tensor, Shape shape);
// Product of the extents of the axes named.
std::int64_t extent(const Shape& shape, std::span<const std::int64_t> axes);
// Axes 0 .. rank - 1 that are in none of the lists, ascending.
std::vector<std::int64_t> other_axes(int rank, std::span<const std::int64_t> some,
                                     std::span<const std::int64_t> more = {});

}  // namespace tessera
