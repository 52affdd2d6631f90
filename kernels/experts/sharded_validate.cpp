#include "kernels/experts/sharded_validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/report/try.h"
#include "kernels/collective/ragged_slices.h"
#include "kernels/collective/rings.h"
#include "kernels/launch/operand_type.h"

namespace tessera {
namespace {

using Tensors = std::span<const Tensor>;

Diags at_device(Diags diags, std::size_t device) {
  for (Diag& diag : diags) diag.notes.push_back({{}, fmt::format("on device {}", device)});
  return diags;
}

Expected<void> check_operand(DType type) {
  if (type == DType::bf16 || type == DType::f16 || type == DType::f32) return {};
  return error(
      ErrorCode::unsupported,
      fmt::format("sharded grouped matmuls multiply bf16, f16 and f32, not {}", name(type)));
}

// Checks that no group is in two shards.
Expected<void> check_shards(const std::vector<std::int64_t>& first, std::int64_t local_groups) {
  std::vector<std::size_t> places(first.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::sort(places.begin(), places.end(),
            [&](std::size_t a, std::size_t b) { return first[a] < first[b]; });
  for (std::size_t i = 1; i < places.size(); ++i) {
    const std::int64_t a = first[places[i - 1]], b = first[places[i]];
    if (a + local_groups <= b) continue;
    return error(fmt::format("the shards of places {} and {} both hold group {}", places[i - 1],
                             places[i], b));
  }
  return {};
}

}  // namespace

GroupedMatmulOptions grouped_options(const GroupedCollectiveOptions& options, std::int64_t first) {
  GroupedMatmulOptions result;
  result.transpose_rhs = options.transpose_rhs;
  result.input_buffer_count = options.buffers;
  if (options.tiling) result.tiling = *options.tiling;
  result.window.offset = first;
  result.device = options.device;
  result.run = options.run;
  return result;
}

Expected<GroupedDesc> validate_shard(const Tensor& lhs, const Tensor& rhs, const Tensor& sizes,
                                     std::int64_t first, const GroupedCollectiveOptions& options) {
  GroupedDesc call = TRY(describe_gmm(lhs, rhs, sizes, grouped_options(options, first)));
  call.lhs = call.rhs = common_operand(call.lhs, call.rhs).value_or(call.lhs);
  TRY(check_operand(call.lhs));
  return call;
}

std::vector<std::int64_t> first_groups(std::int64_t length, std::int64_t local_groups,
                                       const ShardedGroupedMatmulOptions& options) {
  if (!options.group_offset.empty()) return options.group_offset;
  std::vector<std::int64_t> first;
  for (std::int64_t place = 0; place < length; ++place) first.push_back(place * local_groups);
  return first;
}

Expected<std::vector<GroupedDesc>> validate_sharded(Tensors lhs, Tensors rhs, Tensors group_sizes,
                                                    const Tensor& rings,
                                                    const ShardedGroupedMatmulOptions& options) {
  TRY(check_rings(rings, rhs.size()));
  const auto count = static_cast<std::size_t>(rings.dim(0));
  const std::int64_t length = rings.dim(1);
  if (lhs.size() != count || group_sizes.size() != count) {
    return error(fmt::format("there are {} rings, and lhs is given for {}, group_sizes for {}",
                             count, lhs.size(), group_sizes.size()));
  }
  TRY(check_alike("lhs", lhs));
  TRY(check_alike("rhs", rhs));
  TRY(check_alike("group_sizes", group_sizes));
  if (!options.group_offset.empty() &&
      options.group_offset.size() != static_cast<std::size_t>(length)) {
    return error(fmt::format("group_offset has {} entries, and a ring has {} places",
                             options.group_offset.size(), length));
  }
  const std::int64_t local_groups = rhs[0].rank() == 3 ? rhs[0].dim(0) : 0;
  const std::vector<std::int64_t> first = first_groups(length, local_groups, options);
  std::vector<GroupedDesc> calls(rhs.size());
  for (std::size_t ring = 0; ring < count; ++ring)
    for (std::int64_t place = 0; place < length; ++place) {
      const std::size_t d = device_at(rings, static_cast<std::int64_t>(ring), place);
      Expected<GroupedDesc> call = validate_shard(lhs[ring], rhs[d], group_sizes[ring],
                                                  first[static_cast<std::size_t>(place)], options);
      if (!call) return at_device(call.diags(), d);
      calls[d] = *std::move(call);
    }
  TRY(check_shards(first, local_groups));
  if (options.scatter && calls[0].m % length != 0) {
    return error(
        fmt::format("the {} rows of lhs cannot be divided into a block for each of {} places",
                    calls[0].m, length));
  }
  return calls;
}

std::vector<std::vector<std::int64_t>> group_sizes_of(const std::vector<GroupedDesc>& calls) {
  std::vector<std::vector<std::int64_t>> all;
  for (const GroupedDesc& call : calls) all.push_back(call.sizes);
  return all;
}

Expected<std::vector<GroupedDesc>> validate_expert_parallel(Tensors lhs, Tensors rhs,
                                                            Tensors group_sizes,
                                                            const ExpertParallelOptions& options) {
  if (lhs.empty() || lhs.size() != rhs.size() || lhs.size() != group_sizes.size()) {
    return error(fmt::format("lhs is given for {} devices, rhs for {} and group_sizes for {}",
                             lhs.size(), rhs.size(), group_sizes.size()));
  }
  TRY(check_alike("lhs", lhs));
  TRY(check_alike("rhs", rhs));
  TRY(check_alike("group_sizes", group_sizes));
  const auto devices = static_cast<std::int64_t>(lhs.size());
  const std::int64_t experts = rhs[0].rank() == 3 ? rhs[0].dim(0) : 0;
  if (group_sizes[0].rank() == 1 && experts * devices != group_sizes[0].dim(0)) {
    return error(
        fmt::format("{} devices with {} groups each hold {} groups, and group_sizes has "
                    "{}",
                    devices, experts, experts * devices, group_sizes[0].dim(0)));
  }
  std::vector<GroupedDesc> calls;
  for (std::size_t d = 0; d < lhs.size(); ++d) {
    Expected<GroupedDesc> call = validate_shard(lhs[d], rhs[d], group_sizes[d],
                                                static_cast<std::int64_t>(d) * experts, options);
    if (!call) return at_device(call.diags(), d);
    calls.push_back(*std::move(call));
  }
  if (!options.capacity) return calls;
  if (*options.capacity < 0)
    return error(fmt::format("capacity must be at least 0, got {}", *options.capacity));
  const Traffic traffic = traffic_of(group_sizes_of(calls));
  for (std::size_t j = 0; j < traffic.size(); ++j) {
    std::int64_t received = 0;
    for (const auto& from : traffic) received += from[j];
    if (received > *options.capacity)
      return error(fmt::format("device {} receives {} rows, more than its capacity of {}", j,
                               received, *options.capacity));
  }
  return calls;
}

}  // namespace tessera
