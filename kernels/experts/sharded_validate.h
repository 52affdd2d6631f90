// Validation of grouped matmuls with groups distributed over devices.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/experts/sharded_grouped_matmul.h"
#include "kernels/grouped_matmul/validate.h"

namespace tessera {

// Validates one device's call like gmm, with the shard that begins at group `first`. Returns its
// description, with both operands in the type in which they are multiplied. Fails like
// describe_gmm(), and with ErrorCode::unsupported if that type is not bf16, f16 or f32.
Expected<GroupedDesc> validate_shard(const Tensor& lhs, const Tensor& rhs, const Tensor& sizes,
                                     std::int64_t first, const GroupedCollectiveOptions& options);
// Returns the options of the product of one device, with the shard that begins at group `first`.
GroupedMatmulOptions grouped_options(const GroupedCollectiveOptions& options, std::int64_t first);

// Returns the first group of each place: options.group_offset, or place * local_groups if empty.
std::vector<std::int64_t> first_groups(std::int64_t length, std::int64_t local_groups,
                                       const ShardedGroupedMatmulOptions& options);
// Validate all operands and return the calls of all devices, by device number. Fail if operands,
// rings and options do not fit each other; validate_sharded also if shards overlap, and
// validate_expert_parallel if a device receives more rows than its capacity. The errors of one
// device's call have its number in a note.
Expected<std::vector<GroupedDesc>> validate_sharded(std::span<const Tensor> lhs,
                                                    std::span<const Tensor> rhs,
                                                    std::span<const Tensor> group_sizes,
                                                    const Tensor& rings,
                                                    const ShardedGroupedMatmulOptions& options);
Expected<std::vector<GroupedDesc>> validate_expert_parallel(std::span<const Tensor> lhs,
                                                            std::span<const Tensor> rhs,
                                                            std::span<const Tensor> group_sizes,
                                                            const ExpertParallelOptions& options);
// Returns the group sizes of each call.
std::vector<std::vector<std::int64_t>> group_sizes_of(const std::vector<GroupedDesc>& calls);

}  // namespace tessera
