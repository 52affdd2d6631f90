// All-gather: each device receives the rows of its whole ring.
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
  // True: one half of each block travels in each direction. False: blocks travel in one direction.
  bool halves = true;
};
// Prepares out[d] = the x of all places of d's ring, concatenated in their order to [length * rows,
// cols]. x: one tensor [rows, cols] per device, of f32, bf16, f16, i32 or i8. Fails like
// check_ring_rows(). x must outlive the launch; the table of rings is copied.
Expected<Launch> launch_all_gather(std::span<const Tensor> x, const Tensor& rings,
                                   const AllGatherOptions& options = {});

// Compares the result of a completed launch on every device with the expected rows, bit for bit
// except for NaN payloads, in the rows that `options` select. x and rings must be the arguments of
// the launch.
Verdict check_all_gathered(std::span<const Tensor> x, const Tensor& rings, const Launch& done,
                           const CheckOptions& options);

}  // namespace tessera
