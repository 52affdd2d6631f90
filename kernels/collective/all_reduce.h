// All-reduce: each device receives the sum over its ring.
#pragma once  // public
#include <span>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/collective/ring_rows.h"
#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {

// Prepares out[d] = sum of x over d's ring, in x's shape [rows, cols], for f32 or i32. Terms are
// added in the order place - 1, place - 2, ..., place. Fails like check_ring_rows() and
// set_reduction(). x must outlive the launch.
Expected<Launch> launch_all_reduce(std::span<const Tensor> x, const Tensor& rings,
                                   const ReduceOptions& options = {});

// Checks this result of a completed launch on every device, in the rows that `options` select.
Verdict check_all_reduced(std::span<const Tensor> x, const Tensor& rings, const Launch& done,
                          const CheckOptions& options);

}  // namespace tessera
