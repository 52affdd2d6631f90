// The grouped matmuls whose groups are shared by devices, judged before anything runs.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/experts/sharded_grouped_matmul.h"
#include "kernels/grouped_matmul/validate.h"

namespace tessera {

// One device's call by the checks of gmm, with the shard that begins at group `first`. The operands
// have the type in which both are multiplied.
Expected<GroupedDesc> validate_shard(const Tensor& lhs, const Tensor& rhs, const Tensor& sizes,
                                     std::int64_t first, const GroupedCollectiveOptions& options);
GroupedMatmulOptions grouped_options(const GroupedCollectiveOptions& options, std::int64_t first);

// First group of each place.
std::vector<std::int64_t> first_groups(std::int64_t length, std::int64_t local_groups,
                                       const ShardedGroupedMatmulOptions& options);
// Every device's call, in the order of the devices.
Expected<std::vector<GroupedDesc>> validate_sharded(std::span<const Tensor> lhs,
                                                    std::span<const Tensor> rhs,
                                                    std::span<const Tensor> group_sizes,
                                                    const Tensor& rings,
                                                    const ShardedGroupedMatmulOptions& options);
Expected<std::vector<GroupedDesc>> validate_expert_parallel(std::span<const Tensor> lhs,
                                                            std::span<const Tensor> rhs,
                                                            std::span<const Tensor> group_sizes,
                                                            const ExpertParallelOptions& options);
// The group sizes of each call.
std::vector<std::vector<std::int64_t>> group_sizes_of(const std::vector<GroupedDesc>& calls);

}  // namespace tessera
