// Common parts of the gradients of grouped matmuls with groups distributed over devices.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/experts/sharded_grouped_matmul.h"

namespace tessera {

// Checks that there is a cotangent for the result of every device, f32 of shape `shape`. devices:
// number of devices.
Expected<void> check_cotangent(std::span<const Tensor> cotangent, std::size_t devices,
                               const Shape& shape);

// Returns the options of the product with the transposed matrices: transpose_rhs is inverted, k and
// n of the tiling are exchanged.
template <typename Options>
Options transposed(Options options) {
  options.transpose_rhs = !options.transpose_rhs;
  if (options.tiling) std::swap(options.tiling->k, options.tiling->n);
  return options;
}

// Returns the gradient of the shard rhs, in its shape and type. first: first group of the shard.
// rows: [m, k], cotangent: [m, n]; both sorted by group. sizes: rows of all groups. Fails like
// transposed_grouped_matmul().
Expected<Tensor> gradient_of_shard(const Tensor& rows, const Tensor& cotangent, const Tensor& sizes,
                                   std::int64_t first, const Tensor& rhs,
                                   const GroupedCollectiveOptions& options);

}  // namespace tessera
