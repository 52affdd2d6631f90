#include "kernels/experts/ring_of_experts.h"

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/collective/rings.h"
#include "kernels/experts/ring_of_experts_validate.h"
#include "kernels/experts/sharded_launch.h"

namespace tessera {

using Tensors = std::span<const Tensor>;

Expected<Launch> launch_ring_of_experts(Tensors lhs, Tensors rhs, Tensors experts, Tensors weights,
                                        const Tensor& rings,
                                        const RingOfExpertsOptions& options) try {
  const auto call = validate_ring_of_experts(lhs, rhs, experts, weights, rings, options);
  if (!call) return call.diags();
  const GroupedDesc& product = call->product;
  Launch launch("ring_of_experts", lhs.size());
  set_rings(launch, rings, options);
  TRY(set_product(launch, product, options));
  launch.set("tokens", call->tokens());
  launch.set("top_k", call->top_k);
  launch.set("capacity", call->capacity);
  for (std::size_t d = 0; d < lhs.size(); ++d) {
    bind_as(launch, d, "lhs", lhs[d], product.lhs);
    bind_as(launch, d, "rhs", rhs[d], product.lhs);
    launch.input(d, "experts", experts[d]);
    launch.input(d, "weights", weights[d]);
  }
  launch.results(DType::f32, {call->tokens(), product.n});
  return launch;
} catch (...) {
  return given_up("preparing a launch");
}

Expected<std::vector<Tensor>> ring_of_experts(Tensors lhs, Tensors rhs, Tensors experts,
                                              Tensors weights, const Tensor& rings,
                                              const RingOfExpertsOptions& options) {
  return results(launch_ring_of_experts(lhs, rhs, experts, weights, rings, options), options);
}

}  // namespace tessera
