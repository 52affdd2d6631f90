// Every device sends its rows to the right neighbour of its ring.
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
  // Neighbours meet at two semaphores. One is enough for a single call, but not for calls in a row.
  bool double_barrier = true;
};
// out[d] = x[left neighbour of d], of x's shape [rows, cols]; f32, bf16, f16, i32 or i8. Errors are
// operands and rings that do not fit.
Expected<Launch> launch_right_permute(std::span<const Tensor> x, const Tensor& rings,
                                      const RightPermuteOptions& options = {});

// Whether every device has that result; rows are judged as `options` say.
Verdict check_permuted(std::span<const Tensor> x, const Tensor& rings, const Launch& done,
                       const CheckOptions& options);

}  // namespace tessera
