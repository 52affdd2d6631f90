// Permutation: each device sends its rows to the right neighbour in its ring.
#pragma once  // public
#include <span>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/collective/ring_rows.h"
#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {

// Options of launch_right_permute.
struct RightPermuteOptions : CollectiveOptions {
  // Neighbours synchronise with two semaphores. One is enough for a single call, but not for
  // consecutive calls.
  bool double_barrier = true;
};
// Prepares out[d] = x[left neighbour of d], in x's shape [rows, cols], for f32, bf16, f16, i32 or
// i8. Fails like check_ring_rows(). x must outlive the launch.
Expected<Launch> launch_right_permute(std::span<const Tensor> x, const Tensor& rings,
                                      const RightPermuteOptions& options = {});

// Compares the result of a completed launch on every device with the expected rows, bit for bit
// except for NaN payloads, in the rows that `options` select. x and rings must be the arguments of
// the launch.
Verdict check_permuted(std::span<const Tensor> x, const Tensor& rings, const Launch& done,
                       const CheckOptions& options);

}  // namespace tessera
