#include "kernels/experts/sharded_grouped_matmul.h"

#include <cstring>
#include <utility>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/collective/rings.h"
#include "kernels/experts/sharded_launch.h"
#include "kernels/experts/sharded_validate.h"
#include "kernels/oracle/check_collective.h"

namespace tessera {
namespace {

using Tensors = std::span<const Tensor>;

}  // namespace

Expected<Launch> launch_sharded_grouped_matmul(Tensors lhs, Tensors rhs, Tensors group_sizes,
                                               const Tensor& rings,
                                               const ShardedGroupedMatmulOptions& options) try {
  const auto calls = validate_sharded(lhs, rhs, group_sizes, rings, options);
  if (!calls) return calls.diags();
  const GroupedDesc& call = calls->front();
  const std::int64_t length = rings.dim(1);
  const std::vector<std::int64_t> first = first_groups(length, call.local_groups, options);
  Launch launch("sharded_gmm", rhs.size());
  set_rings(launch, rings, options);
  TRY(set_product(launch, call, options));
  launch.set("m", call.m);
  launch.set("local_groups", call.local_groups);
  launch.set("scatter", options.scatter ? 1 : 0);
  for (std::int64_t ring = 0; ring < rings.dim(0); ++ring)
    for (std::int64_t place = 0; place < length; ++place) {
      const std::size_t d = device_at(rings, ring, place);
      bind_as(launch, d, "lhs", lhs[static_cast<std::size_t>(ring)], call.lhs);
      bind_as(launch, d, "rhs", rhs[d], call.lhs);
      bind_table(launch, d, "group_sizes", (*calls)[d].sizes);
      bind_table(launch, d, "group_offset", {first[static_cast<std::size_t>(place)]});
    }
  launch.results(DType::f32, {options.scatter ? call.m / length : call.m, call.n});
  return launch;
} catch (...) {
  return given_up("preparing a launch");
}

Expected<std::vector<Tensor>> sharded_grouped_matmul(Tensors lhs, Tensors rhs, Tensors group_sizes,
                                                     const Tensor& rings,
                                                     const ShardedGroupedMatmulOptions& options) {
  return results(launch_sharded_grouped_matmul(lhs, rhs, group_sizes, rings, options), options);
}

Expected<Launch> launch_expert_parallel_matmul(Tensors lhs, Tensors rhs, Tensors group_sizes,
                                               const ExpertParallelOptions& options) try {
  const auto calls = validate_expert_parallel(lhs, rhs, group_sizes, options);
  if (!calls) return calls.diags();
  const GroupedDesc& call = calls->front();
  const auto devices = static_cast<std::int64_t>(lhs.size());
  Launch launch("expert_parallel_gmm", lhs.size());
  launch.calls = options.calls;
  TRY(set_product(launch, call, options));
  launch.set("rows", call.m);
  launch.set("ranks", devices);
  launch.set("collective", options.collective_id);
  launch.set("capacity", options.capacity.value_or(call.m * devices));
  for (std::size_t d = 0; d < lhs.size(); ++d) {
    bind_as(launch, d, "lhs", lhs[d], call.lhs);
    bind_as(launch, d, "rhs", rhs[d], call.lhs);
    bind_table(launch, d, "group_sizes", (*calls)[d].sizes);
  }
  launch.results(DType::f32, {call.m, call.n});
  return launch;
} catch (...) {
  return given_up("preparing a launch");
}

Expected<std::vector<Tensor>> expert_parallel_matmul(Tensors lhs, Tensors rhs, Tensors group_sizes,
                                                     const ExpertParallelOptions& options) {
  return results(launch_expert_parallel_matmul(lhs, rhs, group_sizes, options), options);
}

Verdict check_sharded_grouped_matmul(Tensors lhs, Tensors rhs, Tensors group_sizes,
                                     const Tensor& rings, const Launch& done,
                                     const ShardedGroupedMatmulOptions& options,
                                     const CheckOptions& how) {
  const auto calls = validate_sharded(lhs, rhs, group_sizes, rings, options);
  if (!calls) return unjudged(calls.diags());
  const std::int64_t length = rings.dim(1);
  const std::vector<std::int64_t> first = first_groups(length, rhs[0].dim(0), options);
  std::vector<Verdict> verdicts(static_cast<std::size_t>(options.scatter ? 0 : rings.elements()));
  for (std::int64_t ring = 0; ring < rings.dim(0); ++ring) {
    const GroupedDesc& call = (*calls)[device_at(rings, ring, 0)];
    // The matrices of groups in no shard are zero.
    Tensor whole(rhs[0].dtype(), {call.groups(), rhs[0].dim(1), rhs[0].dim(2)});
    for (std::int64_t place = 0; place < length && rhs[0].bytes() > 0; ++place) {
      const std::int64_t at = first[static_cast<std::size_t>(place)];
      std::memcpy(whole.data() + at * (rhs[0].bytes() / rhs[0].dim(0)),
                  rhs[device_at(rings, ring, place)].data(),
                  static_cast<std::size_t>(rhs[0].bytes()));
    }
    GroupedProblem problem{.lhs = &lhs[static_cast<std::size_t>(ring)],
                           .rhs = &whole,
                           .group_sizes = call.sizes,
                           .local_groups = call.groups(),
                           .transpose_rhs = options.transpose_rhs};
    if (options.scatter) {
      const Tensor out =
          joined(rings, ring, 0, [&](std::size_t d) -> const Tensor& { return done.result(d); });
      verdicts.push_back(check_gmm(problem, out, how));
      continue;
    }
    for (std::int64_t place = 0; place < length; ++place) {
      const std::size_t device = device_at(rings, ring, place);
      verdicts[device] = check_gmm(problem, done.result(device), how);
    }
  }
  return options.scatter ? together_on_rings(verdicts, rings, done) : together(verdicts);
}

Verdict check_expert_parallel_matmul(Tensors lhs, Tensors rhs, Tensors group_sizes,
                                     const Launch& done, const ExpertParallelOptions& options,
                                     const CheckOptions& how) {
  const auto calls = validate_expert_parallel(lhs, rhs, group_sizes, options);
  if (!calls) return unjudged(calls.diags());
  std::vector<const Tensor*> shards;
  for (const Tensor& shard : rhs) shards.push_back(&shard);
  const Tensor whole = joined(shards, 0);
  std::vector<Verdict> verdicts;
  for (std::size_t d = 0; d < lhs.size(); ++d) {
    const GroupedProblem problem{.lhs = &lhs[d],
                                 .rhs = &whole,
                                 .group_sizes = (*calls)[d].sizes,
                                 .local_groups = (*calls)[d].groups(),
                                 .transpose_rhs = options.transpose_rhs};
    verdicts.push_back(check_gmm(problem, done.result(d), how));
  }
  return together(verdicts);
}

}  // namespace tessera
