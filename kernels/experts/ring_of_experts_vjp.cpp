// Gradients of the ring of experts. The gradient of the tokens is the same collective on the
// transposed matrices. The gradient of a shard is the transposed grouped matmul of the gathered
// rows and their weighted cotangents.
#include <utility>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/collective/all_gather.h"
#include "kernels/collective/rings.h"
#include "kernels/experts/ring_of_experts_validate.h"
#include "kernels/experts/sharded_gradient.h"
#include "kernels/launch/operand_type.h"
#include "kernels/oracle/check_collective.h"

namespace tessera {
namespace {

using Tensors = std::span<const Tensor>;

// Returns the cotangent of each multiplied row: the cotangent of its token times the weight of the
// choice.
Tensor weighted_rows(const Tensor& cotangent, const Routing& routing, const Tensor& weights) {
  Expected<Tensor> routed = routed_rows(cotangent, routing);
  CHECK(routed);  // the call was validated
  Tensor rows = *std::move(routed);
  const std::int64_t n = rows.dim(1);
  float* row = rows.as<float>();
  for (const std::int64_t choice : routing.choice) {
    for (std::int64_t c = 0; c < n; ++c) row[c] *= weights.as<float>()[choice];
    row += n;
  }
  return rows;
}

}  // namespace

Expected<GroupedCollectiveGradients> ring_of_experts_vjp(Tensors cotangent, Tensors lhs,
                                                         Tensors rhs, Tensors experts,
                                                         Tensors weights, const Tensor& rings,
                                                         const RingOfExpertsOptions& options) try {
  const auto call = validate_ring_of_experts(lhs, rhs, experts, weights, rings, options);
  if (!call) return call.diags();
  TRY(check_cotangent(cotangent, lhs.size(), {call->tokens(), call->product.n}));
  const auto of_tokens =
      ring_of_experts(cotangent, rhs, experts, weights, rings, transposed(options));
  if (!of_tokens) return of_tokens.diags();

  AllGatherOptions gather;
  static_cast<CollectiveOptions&>(gather) = options;
  const auto tokens = results(launch_all_gather(lhs, rings, gather), options);
  if (!tokens) return tokens.diags();
  const auto cotangents = results(launch_all_gather(cotangent, rings, gather), options);
  if (!cotangents) return cotangents.diags();

  GroupedCollectiveGradients gradients;
  for (std::size_t d = 0; d < lhs.size(); ++d)
    gradients.lhs.push_back(converted((*of_tokens)[d], lhs[d].dtype()));
  gradients.rhs.resize(rhs.size());
  for (std::int64_t ring = 0; ring < rings.dim(0); ++ring) {
    const Routing& routing = call->routes[static_cast<std::size_t>(ring)];
    const Tensor weight =
        joined(rings, ring, 0, [&](std::size_t d) -> const Tensor& { return weights[d]; });
    const std::size_t any = device_at(rings, ring, 0);
    const Tensor rows = *routed_rows((*tokens)[any], routing);
    const Tensor of_rows = weighted_rows((*cotangents)[any], routing, weight);
    for (std::int64_t place = 0; place < rings.dim(1); ++place) {
      const std::size_t d = device_at(rings, ring, place);
      Expected<Tensor> shard = gradient_of_shard(
          rows, of_rows, routing.group_sizes, place * call->product.local_groups, rhs[d], options);
      if (!shard) return shard.diags();
      gradients.rhs[d] = *std::move(shard);
    }
  }
  return gradients;
} catch (...) {
  return given_up("computing gradients");
}

}  // namespace tessera
