// Every device gets the rows of its whole ring.
#pragma once  // public
#include <span>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/collective/ring_rows.h"
#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {

// out[d] = the rows of all places of d's ring, in their order. halves: both directions of the ring
// carry one half of each block.
struct AllGatherOptions : CollectiveOptions {
  bool halves = true;
};
Expected<Launch> launch_all_gather(std::span<const Tensor> x, const Tensor& rings,
                                   const AllGatherOptions& options = {});

// Whether every device has that result; rows are judged as `options` say.
Verdict check_all_gathered(std::span<const Tensor> x, const Tensor& rings, const Launch& done,
                           const CheckOptions& options);

}  // namespace tessera
