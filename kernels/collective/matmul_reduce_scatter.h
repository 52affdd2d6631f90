// A product whose contraction is shared by the devices of a ring, each of which gets its block of
// rows.
#pragma once  // public
#include <span>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/collective/ring_rows.h"
#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {

// Options of launch_matmul_reduce_scatter.
struct MatmulReduceScatterOptions : CollectiveOptions {
  DType out_dtype = DType::f32;   // of the results: f32, bf16 or f16
  DType wire_dtype = DType::f32;  // of the partial sums that travel: f32, bf16 or f16
  // Tile in elements: rows of half a block, rows of y, contraction; each must divide its extent.
  std::int64_t bm = 128, bn = 128, bk = 128;
  bool credits = true;  // as in ReduceOptions
};
// out[d] = block `place` of the rows of the sum over d's ring of x . transpose(y): x [m, k_shard]
// and y [cols, k_shard] of one type (bf16, f16 or f32), out [m / length, cols]. The blocks of m /
// length rows are cut into two halves, so 2 * length must divide m.
Expected<Launch> launch_matmul_reduce_scatter(std::span<const Tensor> x, std::span<const Tensor> y,
                                              const Tensor& rings,
                                              const MatmulReduceScatterOptions& options = {});

// Whether every device has that result; rows are judged as `options` say.
Verdict check_product_scattered(std::span<const Tensor> x, std::span<const Tensor> y,
                                const Tensor& rings, const Launch& done, DType wire,
                                const CheckOptions& options);

}  // namespace tessera
