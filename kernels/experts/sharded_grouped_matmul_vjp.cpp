// Gradients of the sharded grouped matmuls. The gradient of the rows is the same collective on the
// transposed matrices. The gradient of a shard is the transposed grouped matmul of the rows that
// its device multiplied.
#include <utility>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/collective/all_gather.h"
#include "kernels/collective/all_reduce.h"
#include "kernels/collective/ragged_slices.h"
#include "kernels/collective/rings.h"
#include "kernels/experts/sharded_gradient.h"
#include "kernels/experts/sharded_validate.h"
#include "kernels/launch/operand_type.h"
#include "kernels/oracle/check_collective.h"

namespace tessera {
namespace {

using Tensors = std::span<const Tensor>;
using Gradients = GroupedCollectiveGradients;

}  // namespace

Expected<Gradients> sharded_grouped_matmul_vjp(Tensors cotangent, Tensors lhs, Tensors rhs,
                                               Tensors group_sizes, const Tensor& rings,
                                               const ShardedGroupedMatmulOptions& options) try {
  const auto calls = validate_sharded(lhs, rhs, group_sizes, rings, options);
  if (!calls) return calls.diags();
  const GroupedDesc& call = calls->front();
  const std::int64_t length = rings.dim(1);
  const std::int64_t rows = options.scatter ? call.m / length : call.m;
  TRY(check_cotangent(cotangent, rhs.size(), {rows, call.n}));

  // Gives every device the cotangent of all rows. Without scatter each device has its own result,
  // and the cotangent is the sum of their cotangents.
  Expected<Launch> exchange = error("");
  if (options.scatter) {
    AllGatherOptions gather;
    static_cast<CollectiveOptions&>(gather) = options;
    exchange = launch_all_gather(cotangent, rings, gather);
  } else {
    ReduceOptions reduce;
    static_cast<CollectiveOptions&>(reduce) = options;
    exchange = launch_all_reduce(cotangent, rings, reduce);
  }
  Expected<std::vector<Tensor>> whole = results(std::move(exchange), options);
  if (!whole) return whole.diags();

  ShardedGroupedMatmulOptions of_rows = transposed(options);
  of_rows.scatter = false;
  std::vector<Tensor> of_ring;
  for (std::int64_t ring = 0; ring < rings.dim(0); ++ring)
    of_ring.push_back((*whole)[device_at(rings, ring, 0)].clone());
  auto rows_gradient = sharded_grouped_matmul(of_ring, rhs, group_sizes, rings, of_rows);
  if (!rows_gradient) return rows_gradient.diags();

  Gradients gradients;
  gradients.rhs.resize(rhs.size());
  const std::vector<std::int64_t> first = first_groups(length, call.local_groups, options);
  for (std::int64_t ring = 0; ring < rings.dim(0); ++ring) {
    const auto r = static_cast<std::size_t>(ring);
    gradients.lhs.push_back(converted((*rows_gradient)[device_at(rings, ring, 0)], lhs[r].dtype()));
    for (std::int64_t place = 0; place < length; ++place) {
      const std::size_t d = device_at(rings, ring, place);
      Expected<Tensor> shard =
          gradient_of_shard(lhs[r], (*whole)[d], group_sizes[r],
                            first[static_cast<std::size_t>(place)], rhs[d], options);
      if (!shard) return shard.diags();
      gradients.rhs[d] = *std::move(shard);
    }
  }
  return gradients;
} catch (...) {
  return given_up("computing gradients");
}

Expected<Gradients> expert_parallel_matmul_vjp(Tensors cotangent, Tensors lhs, Tensors rhs,
                                               Tensors group_sizes,
                                               const ExpertParallelOptions& options) try {
  const auto calls = validate_expert_parallel(lhs, rhs, group_sizes, options);
  if (!calls) return calls.diags();
  const GroupedDesc& call = calls->front();
  TRY(check_cotangent(cotangent, lhs.size(), {call.m, call.n}));
  auto rows_gradient = expert_parallel_matmul(cotangent, rhs, group_sizes, transposed(options));
  if (!rows_gradient) return rows_gradient.diags();

  // Rows and cotangents in the order of the forward product: sorted by expert.
  const auto sizes = group_sizes_of(*calls);
  const std::vector<RaggedSlices> slices = group_slices(sizes);
  const std::int64_t room =
      options.capacity.value_or(call.m * static_cast<std::int64_t>(lhs.size()));
  const auto received = [&](Tensors rows) {
    std::vector<Tensor> empty;
    for (std::size_t d = 0; d < rows.size(); ++d)
      empty.emplace_back(rows[d].dtype(), Shape{room, rows[d].dim(1)});
    return ragged_all_to_all(rows, empty, slices, options);
  };
  const auto rows = received(lhs), cotangents = received(cotangent);
  if (!rows) return rows.diags();
  if (!cotangents) return cotangents.diags();

  Gradients gradients;
  const std::int64_t experts = call.local_groups;
  for (std::size_t d = 0; d < lhs.size(); ++d) {
    gradients.lhs.push_back(converted((*rows_gradient)[d], lhs[d].dtype()));
    Tensor local(DType::i32, {experts});
    for (std::int64_t e = 0; e < experts; ++e)
      for (const auto& from : sizes)
        local.as<std::int32_t>()[e] += static_cast<std::int32_t>(
            from[static_cast<std::size_t>(static_cast<std::int64_t>(d) * experts + e)]);
    Expected<Tensor> shard =
        gradient_of_shard((*rows)[d], (*cotangents)[d], local, 0, rhs[d], options);
    if (!shard) return shard.diags();
    gradients.rhs.push_back(*std::move(shard));
  }
  return gradients;
} catch (...) {
  return given_up("computing gradients");
}

}  // namespace tessera
