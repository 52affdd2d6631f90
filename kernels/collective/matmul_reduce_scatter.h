// Product with a contraction that is sharded over the devices of a ring. Each device receives a
// block of its rows.
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
  DType out_dtype = DType::f32;   // type of the results: f32, bf16 or f16
  DType wire_dtype = DType::f32;  // type of the partial sums sent between devices: f32, bf16 or f16
  // Tile in elements: rows of half a block, rows of y, contraction. Each must divide its extent.
  std::int64_t bm = 128, bn = 128, bk = 128;
  bool credits = true;  // like in ReduceOptions
};
// Prepares out[d] = block `place` of the rows of sum(x . transpose(y)) over d's ring. x is [m,
// k_shard] and y [cols, k_shard], of one type (bf16, f16 or f32); out is [m / length, cols]. The
// blocks of m / length rows are split into two halves, so 2 * length must divide m. Fails if
// operands, rings and tiles do not fit each other, and with ErrorCode::unsupported for other types.
// x and y must outlive the launch.
Expected<Launch> launch_matmul_reduce_scatter(std::span<const Tensor> x, std::span<const Tensor> y,
                                              const Tensor& rings,
                                              const MatmulReduceScatterOptions& options = {});

// Compares the result of a completed launch on every device with the reference by its error bound
// (kernels/oracle/verdict.h), in the rows that `options` select. x, y and rings must be the
// arguments of the launch. wire: wire_dtype of the launch.
Verdict check_product_scattered(std::span<const Tensor> x, std::span<const Tensor> y,
                                const Tensor& rings, const Launch& done, DType wire,
                                const CheckOptions& options);

}  // namespace tessera
