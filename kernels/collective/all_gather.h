// Every device gets the rows of its whole ring.
#pragma once  // public
#include <span>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/collective/ring_rows.h"
#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {

// Options of launch_all_gather.
struct AllGatherOptions : CollectiveOptions {
  // One half of each block travels in each direction; else all in one direction.
  bool halves = true;
};
// out[d] = x of all places of d's ring, one below the other, [length * rows, cols]; f32, bf16, f16,
// i32 or i8. Errors are operands and rings that do not fit.
Expected<Launch> launch_all_gather(std::span<const Tensor> x, const Tensor& rings,
                                   const AllGatherOptions& options = {});

// Whether every device has that result; rows are judged as `options` say.
Verdict check_all_gathered(std::span<const Tensor> x, const Tensor& rings, const Launch& done,
                           const CheckOptions& options);

}  // namespace tessera
