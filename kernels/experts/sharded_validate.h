// Validation of grouped matmuls with groups distributed over devices.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/experts/sharded_grouped_matmul.h"
#include "kernels/grouped_matmul/validate.h"

namespace tessera {

// Validates one device's call like gmm, with the shard that begins at group `first`. The operand
// types of the result are the type in which the operands are multiplied.
Expected<GroupedDesc> validate_shard(const Tensor& lhs, const Tensor& rhs, const Tensor& sizes,
                                     std::int64_t first, const GroupedCollectiveOptions& options);
GroupedMatmulOptions grouped_options(const GroupedCollectiveOptions& options, std::int64_t first);

// Returns the first group of each place.
std::vector<std::int64_t> first_groups(std::int64_t length, std::int64_t local_groups,
                                       const ShardedGroupedMatmulOptions& options);
// Returns the calls of all devices, by device number.
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
