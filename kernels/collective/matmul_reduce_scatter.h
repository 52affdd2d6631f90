// A product whose contraction is shared by the devices of a ring, each of which gets its block of rows.
#pragma once  // public
#include <span>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/collective/ring_rows.h"
#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {

struct MatmulReduceScatterOptions : CollectiveOptions {
  DType out_dtype = DType::f32;
  DType wire_dtype = DType::f32;  // of the sums that travel
  std::int64_t bm = 128, bn = 128, bk = 128;
  bool credits = true;
};
// out[d] = block `place` of the rows of sum over d's ring of x . transpose(y): x [M, k_shard], y
// [cols, k_shard] of one type, out [M / length, cols].
Expected<Launch> launch_matmul_reduce_scatter(std::span<const Tensor> x, std::span<const Tensor> y,
                                              const Tensor& rings,
                                              const MatmulReduceScatterOptions& options = {});

// Whether every device has that result; rows are judged as `options` say.
Verdict check_product_scattered(std::span<const Tensor> x, std::span<const Tensor> y,
                                const Tensor& rings, const Launch& done, DType wire,
                                const CheckOptions& options);

}  // namespace tessera
