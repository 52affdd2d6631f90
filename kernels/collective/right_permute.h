// Every device sends its rows to the right neighbour of its ring.
#pragma once  // public
#include <span>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/collective/ring_rows.h"
#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {

// out[d] = x[left neighbour of d]. double_barrier false: enough for one call, not for calls in a
// row.
struct RightPermuteOptions : CollectiveOptions {
  bool double_barrier = true;
};
Expected<Launch> launch_right_permute(std::span<const Tensor> x, const Tensor& rings,
                                      const RightPermuteOptions& options = {});

// Whether every device has that result; rows are judged as `options` say.
Verdict check_permuted(std::span<const Tensor> x, const Tensor& rings, const Launch& done,
                       const CheckOptions& options);

}  // namespace tessera
