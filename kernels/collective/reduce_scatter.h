// Reduce-scatter: each device receives one block of the sum over its ring.
#pragma once  // public
#include <span>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/collective/ring_rows.h"
#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {

// Prepares out[d] = block `place` of the sum of x over d's ring, [rows / length, cols], for f32 or
// i32. Fails like check_ring_rows() and set_reduction(), and if the length does not divide the
// rows. x must outlive the launch.
Expected<Launch> launch_reduce_scatter(std::span<const Tensor> x, const Tensor& rings,
                                       const ReduceOptions& options = {});

// Compares the result of a completed launch on every device with the reference by its error bound
// (kernels/oracle/verdict.h), in the rows that `options` select. x and rings must be the arguments
// of the launch.
Verdict check_reduce_scattered(std::span<const Tensor> x, const Tensor& rings, const Launch& done,
                               const CheckOptions& options);

}  // namespace tessera
