// Grouped matmul whose groups' matrices are shared by devices: rows that all of a ring hold, and
// rows of each device's own that travel to their experts and back.
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

struct GroupedCollectiveOptions : CollectiveOptions {
  bool transpose_rhs = false;    // a group's matrix is stored [n, k]
  std::optional<Tiling> tiling;  // none: the machine profile's
  std::int64_t buffers = 2;      // slots of each input window
};

// Replicated rows. group_offset: the first group of each place; none: place * local groups. Shards
// do not overlap; rows of groups that no shard holds are zero.
struct ShardedGroupedMatmulOptions : GroupedCollectiveOptions {
  std::vector<std::int64_t> group_offset;
  bool scatter = false;  // each device gets its place's block of the rows
};

// out[d] = the sum over d's ring of gmm(lhs, rhs[d], group_sizes, group_offset). lhs [m, k] and
// group_sizes [groups] (i32, u32 or i64) are one for each ring, rhs [local groups, k, n] one for
// each device, of bf16, f16 or f32; out is f32 [m, n], with `scatter` [m / length, n].
Expected<Launch> launch_sharded_grouped_matmul(std::span<const Tensor> lhs,
                                               std::span<const Tensor> rhs,
                                               std::span<const Tensor> group_sizes,
                                               const Tensor& rings,
                                               const ShardedGroupedMatmulOptions& options = {});
Expected<std::vector<Tensor>> sharded_grouped_matmul(
    std::span<const Tensor> lhs, std::span<const Tensor> rhs, std::span<const Tensor> group_sizes,
    const Tensor& rings, const ShardedGroupedMatmulOptions& options = {});

// Rows of each device's own, sorted by group. capacity: the rows that a device can receive; none:
// all there are.
struct ExpertParallelOptions : GroupedCollectiveOptions {
  std::optional<std::int64_t> capacity;
};

// out[d] = gmm(lhs[d], the rhs of all devices, group_sizes[d]): device j holds the j-th equal share
// of the groups, and rows go to the device that holds their group and back. lhs [rows, k], rhs
// [groups / devices, k, n] of bf16, f16 or f32, group_sizes [groups]; out f32 [rows, n].
Expected<Launch> launch_expert_parallel_matmul(std::span<const Tensor> lhs,
                                               std::span<const Tensor> rhs,
                                               std::span<const Tensor> group_sizes,
                                               const ExpertParallelOptions& options = {});
Expected<std::vector<Tensor>> expert_parallel_matmul(std::span<const Tensor> lhs,
                                                     std::span<const Tensor> rhs,
                                                     std::span<const Tensor> group_sizes,
                                                     const ExpertParallelOptions& options = {});

// Cotangents, of the operands' shapes and types, for that of the result (f32, as the operations
// give it on each device). lhs: one for each ring, summed over its devices.
struct GroupedCollectiveGradients {
  std::vector<Tensor> lhs, rhs;
};
Expected<GroupedCollectiveGradients> sharded_grouped_matmul_vjp(
    std::span<const Tensor> cotangent, std::span<const Tensor> lhs, std::span<const Tensor> rhs,
    std::span<const Tensor> group_sizes, const Tensor& rings,
    const ShardedGroupedMatmulOptions& options = {});
Expected<GroupedCollectiveGradients> expert_parallel_matmul_vjp(
    std::span<const Tensor> cotangent, std::span<const Tensor> lhs, std::span<const Tensor> rhs,
    std::span<const Tensor> group_sizes, const ExpertParallelOptions& options = {});

// The results of a launch against the unsharded grouped matmul.
Verdict check_sharded_grouped_matmul(std::span<const Tensor> lhs, std::span<const Tensor> rhs,
                                     std::span<const Tensor> group_sizes, const Tensor& rings,
                                     const Launch& done, const ShardedGroupedMatmulOptions& options,
                                     const CheckOptions& how);
Verdict check_expert_parallel_matmul(std::span<const Tensor> lhs, std::span<const Tensor> rhs,
                                     std::span<const Tensor> group_sizes, const Launch& done,
                                     const ExpertParallelOptions& options, const CheckOptions& how);

}  // namespace tessera
