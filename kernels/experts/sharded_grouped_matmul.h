// Grouped matmul with groups distributed over devices. sharded_grouped_matmul multiplies rows that
// all devices of a ring have. expert_parallel_matmul sends each device's own rows to the devices of
// their experts and back. Spans are by device number unless they are by ring. A function launch_X
// prepares the launch that X runs. All fail if operands, rings and options do not fit each other.
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
  std::optional<Tiling> tiling;  // none: from the machine profile
  std::int64_t buffers = 2;      // slots per input window
};

// Options of sharded_grouped_matmul.
struct ShardedGroupedMatmulOptions : GroupedCollectiveOptions {
  // [length]: first group of the shard at each place; empty: place * local groups. Shards must not
  // overlap. Rows of groups in no shard are zero.
  std::vector<std::int64_t> group_offset;
  bool scatter = false;  // each device receives only the block of rows of its place
};

// out[d] = sum over the devices e of d's ring of gmm(lhs, rhs[e], group_sizes, group_offset). lhs
// [m, k] and group_sizes [groups] (i32, u32 or i64) are by ring; rhs [local groups, k, n] is by
// device. lhs and rhs are bf16, f16 or f32. out is f32 [m, n], or with `scatter` [m / length, n].
// launch_sharded_grouped_matmul only prepares the launch, which lhs and rhs must outlive;
// sharded_grouped_matmul also runs it. Both fail if operands, rings and options do not fit each
// other, and like choose_device().
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
  // Number of rows that a device has memory for. A call that sends it more is rejected. None: the
  // rows of all devices.
  std::optional<std::int64_t> capacity;
};

// out[d] = gmm(lhs[d], rhs of all devices, group_sizes[d]). The groups are divided equally; device
// j has share j. Rows are sorted by group; they are sent to the device of their group and back. On
// each device lhs is [rows, k], rhs [groups / devices, k, n] of bf16, f16 or f32, group_sizes
// [groups], and out f32 [rows, n]. launch_expert_parallel_matmul only prepares the launch, which
// lhs and rhs must outlive; expert_parallel_matmul also runs it. Both fail if operands and options
// do not fit each other, if a device receives more rows than its capacity, and like
// choose_device().
Expected<Launch> launch_expert_parallel_matmul(std::span<const Tensor> lhs,
                                               std::span<const Tensor> rhs,
                                               std::span<const Tensor> group_sizes,
                                               const ExpertParallelOptions& options = {});
Expected<std::vector<Tensor>> expert_parallel_matmul(std::span<const Tensor> lhs,
                                                     std::span<const Tensor> rhs,
                                                     std::span<const Tensor> group_sizes,
                                                     const ExpertParallelOptions& options = {});

// Cotangents of the operands, with their shapes and types.
struct GroupedCollectiveGradients {
  // By device; lhs of sharded_grouped_matmul is by ring, summed over the ring's devices.
  std::vector<Tensor> lhs, rhs;
};
// Return the vector-Jacobian products. cotangent: cotangent of the result, f32 and by device. Fail
// like the product, and for a cotangent of another type or shape.
Expected<GroupedCollectiveGradients> sharded_grouped_matmul_vjp(
    std::span<const Tensor> cotangent, std::span<const Tensor> lhs, std::span<const Tensor> rhs,
    std::span<const Tensor> group_sizes, const Tensor& rings,
    const ShardedGroupedMatmulOptions& options = {});
Expected<GroupedCollectiveGradients> expert_parallel_matmul_vjp(
    std::span<const Tensor> cotangent, std::span<const Tensor> lhs, std::span<const Tensor> rhs,
    std::span<const Tensor> group_sizes, const ExpertParallelOptions& options = {});

// Compare the results of a completed launch with the grouped matmul on one device, in f64. The
// verdict is not ok if the arguments are not valid.
Verdict check_sharded_grouped_matmul(std::span<const Tensor> lhs, std::span<const Tensor> rhs,
                                     std::span<const Tensor> group_sizes, const Tensor& rings,
                                     const Launch& done, const ShardedGroupedMatmulOptions& options,
                                     const CheckOptions& how);
Verdict check_expert_parallel_matmul(std::span<const Tensor> lhs, std::span<const Tensor> rhs,
                                     std::span<const Tensor> group_sizes, const Launch& done,
                                     const ExpertParallelOptions& options, const CheckOptions& how);

}  // namespace tessera
