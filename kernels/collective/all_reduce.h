// All-reduce: each device receives the sum over its ring.
#pragma once  // public
#include <span>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/collective/ring_rows.h"
#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {

// Prepares out[d] = sum of x over the ring of each device d. x: one tensor [rows, cols] per device,
// f32 or i32; out[d] has the same shape and type. rings: a ring table (rings.h), which is copied.
// Terms are added in the order of the places p - 1, p - 2, ..., p, modulo the ring length, with p
// the place of d, so f32 sums may differ between devices. Fails like check_ring_rows() and
// set_reduction(). The tensors of x must outlive the launch.
Expected<Launch> launch_all_reduce(std::span<const Tensor> x, const Tensor& rings,
                                   const ReduceOptions& options = {});

// Compares the result of a completed launch on every device with the reference by its error bound
// (kernels/oracle/verdict.h), in the rows that `options` select. x and rings must be the arguments
// of the launch.
Verdict check_all_reduced(std::span<const Tensor> x, const Tensor& rings, const Launch& done,
                          const CheckOptions& options);

}  // namespace tessera
