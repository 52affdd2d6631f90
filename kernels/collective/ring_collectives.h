// Collectives that move or add rows around rings of devices. Operands are matrices, one for each
// device of the rings, all of one shape and type.
#pragma once
#include <span>
#include <vector>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/launch/launch.h"

namespace tessera {

// out[d] = x[left neighbour of d]. double_barrier false: enough for one call, not for calls in a
// row.
struct RightPermuteOptions : CollectiveOptions {
  bool double_barrier = true;
};
Expected<Launch> launch_right_permute(std::span<const Tensor> x, const Tensor& rings,
                                      const RightPermuteOptions& options = {});

// out[d] = the rows of all places of d's ring, in their order. halves: both directions of the ring
// carry one half of each block.
struct AllGatherOptions : CollectiveOptions {
  bool halves = true;
};
Expected<Launch> launch_all_gather(std::span<const Tensor> x, const Tensor& rings,
                                   const AllGatherOptions& options = {});

// credits false leaves the flow control out, to see what it is for.
struct ReduceOptions : CollectiveOptions {
  bool credits = true;
};
// out[d] = the sum over d's ring, added in the order place - 1, place - 2, ..., place. f32 or i32.
Expected<Launch> launch_all_reduce(std::span<const Tensor> x, const Tensor& rings,
                                   const ReduceOptions& options = {});
// out[d] = block `place` of the sum over d's ring; x has a block of rows for each place.
Expected<Launch> launch_reduce_scatter(std::span<const Tensor> x, const Tensor& rings,
                                       const ReduceOptions& options = {});

struct MatmulReduceScatterOptions : CollectiveOptions {
  DType out_dtype = DType::f32;
  DType wire_dtype = DType::f32;  // of the sums that travel
  std::int64_t bm = 128, bn = 128, bk = 128;
  bool credits = true;
};
// out[d] = block `place` of the rows of sum over d's ring of x . transpose(y): x [M, k_shard], y
// [cols, k_shard] of one type, out [M / length, cols].
Expected<Launch> launch_matmul_reduce_scatter(std::span<const Tensor> x, std::span<const Tensor> y,
                                              const Tensor& rings,
                                              const MatmulReduceScatterOptions& options = {});

}  // namespace tessera
