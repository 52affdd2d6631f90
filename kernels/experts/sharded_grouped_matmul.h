// Grouped matmul whose groups are distributed over devices: on rows that all devices of a ring
// hold, and on rows of each device's own that travel to the device of their expert and back. Spans
// are by device number unless they are by ring. A function launch_X prepares the launch that X
// runs; errors are operands, rings and options that do not fit.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/data/tensor.h"
#include "core/kernel/tiling.h"
#include "core/report/expected.h"
#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {

// Options of all grouped matmuls on several devices.
struct GroupedCollectiveOptions : CollectiveOptions {
  bool transpose_rhs = false;    // each group's matrix is stored as [n, k]
  std::optional<Tiling> tiling;  // none: the machine profile's
  std::int64_t buffers = 2;      // slots of each input window
};

// Options of sharded_grouped_matmul.
struct ShardedGroupedMatmulOptions : GroupedCollectiveOptions {
  // [length]: the first group of the shard at each place; empty: place * local groups. Shards must
  // not overlap; rows of groups in no shard are zero.
  std::vector<std::int64_t> group_offset;
  bool scatter = false;  // each device gets the block of rows of its place, not all rows
};

// out[d] = the sum over the devices e of d's ring of gmm(lhs, rhs[e], group_sizes, group_offset).
// lhs [m, k] and group_sizes [groups] (i32, u32 or i64) are by ring, rhs [local groups, k, n] is by
// device, of bf16, f16 or f32; out is f32 [m, n], with `scatter` [m / length, n].
Expected<Launch> launch_sharded_grouped_matmul(std::span<const Tensor> lhs,
                                               std::span<const Tensor> rhs,
                                               std::span<const Tensor> group_sizes,
                                               const Tensor& rings,
                                               const ShardedGroupedMatmulOptions& options = {});
Expected<std::vector<Tensor>> sharded_grouped_matmul(
    std::span<const Tensor> lhs, std::span<const Tensor> rhs, std::span<const Tensor> group_sizes,
    const Tensor& rings, const ShardedGroupedMatmulOptions& options = {});

// Options of expert_parallel_matmul.
struct ExpertParallelOptions : GroupedCollectiveOptions {
  // How many rows a device has memory for; a call that sends it more is refused. None: as many as
  // there are on all devices.
  std::optional<std::int64_t> capacity;
};

// out[d] = gmm(lhs[d], the rhs of all devices, group_sizes[d]): device j holds the j-th of the
// equal shares of the groups; rows, sorted by group, go to the device of their group and back. On
// each device lhs is [rows, k], rhs [groups / devices, k, n] of bf16, f16 or f32, group_sizes
// [groups], and out f32 [rows, n].
Expected<Launch> launch_expert_parallel_matmul(std::span<const Tensor> lhs,
                                               std::span<const Tensor> rhs,
                                               std::span<const Tensor> group_sizes,
                                               const ExpertParallelOptions& options = {});
Expected<std::vector<Tensor>> expert_parallel_matmul(std::span<const Tensor> lhs,
                                                     std::span<const Tensor> rhs,
                                                     std::span<const Tensor> group_sizes,
                                                     const ExpertParallelOptions& options = {});

// Cotangents of the operands, of their shapes and types.
struct GroupedCollectiveGradients {
  // By device; lhs of sharded_grouped_matmul is by ring, summed over the ring's devices.
  std::vector<Tensor> lhs, rhs;
};
// The vector-Jacobian products: `cotangent` is that of the result, f32 and by device.
Expected<GroupedCollectiveGradients> sharded_grouped_matmul_vjp(
    std::span<const Tensor> cotangent, std::span<const Tensor> lhs, std::span<const Tensor> rhs,
    std::span<const Tensor> group_sizes, const Tensor& rings,
    const ShardedGroupedMatmulOptions& options = {});
Expected<GroupedCollectiveGradients> expert_parallel_matmul_vjp(
    std::span<const Tensor> cotangent, std::span<const Tensor> lhs, std::span<const Tensor> rhs,
    std::span<const Tensor> group_sizes, const ExpertParallelOptions& options = {});

// Judges the results of a launch that ran against the grouped matmul on one device, in f64.
Verdict check_sharded_grouped_matmul(std::span<const Tensor> lhs, std::span<const Tensor> rhs,
                                     std::span<const Tensor> group_sizes, const Tensor& rings,
                                     const Launch& done, const ShardedGroupedMatmulOptions& options,
                                     const CheckOptions& how);
Verdict check_expert_parallel_matmul(std::span<const Tensor> lhs, std::span<const Tensor> rhs,
                                     std::span<const Tensor> group_sizes, const Launch& done,
                                     const ExpertParallelOptions& options, const CheckOptions& how);

}  // namespace tessera
