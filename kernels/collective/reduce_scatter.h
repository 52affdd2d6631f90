// Every device gets its place's block of the sum of the rows of its ring.
#pragma once  // public
#include <span>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/collective/ring_rows.h"
#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {

// out[d] = block `place` of the sum over d's ring, [rows / length, cols]; the length must divide
// the rows. f32 or i32. Errors are operands and rings that do not fit.
Expected<Launch> launch_reduce_scatter(std::span<const Tensor> x, const Tensor& rings,
                                       const ReduceOptions& options = {});

// Whether every device has that result; rows are judged as `options` say.
Verdict check_reduce_scattered(std::span<const Tensor> x, const Tensor& rings, const Launch& done,
                               const CheckOptions& options);

}  // namespace tessera
