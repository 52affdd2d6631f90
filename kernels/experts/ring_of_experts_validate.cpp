#include "kernels/experts/ring_of_experts_validate.h"

#include <fmt/format.h>

#include <utility>

#include "kernels/collective/rings.h"
#include "kernels/experts/sharded_validate.h"
#include "kernels/oracle/check_collective.h"

namespace tessera {
namespace {

using Tensors = std::span<const Tensor>;

Diags check_operands(Tensors lhs, Tensors rhs, Tensors experts, Tensors weights,
                     const Tensor& rings) {
  if (Diags diags = check_rings(rings, lhs.size()); !diags.empty()) return diags;
  if (rhs.size() != lhs.size() || experts.size() != lhs.size() || weights.size() != lhs.size()) {
    return {error(
        fmt::format("lhs is given for {} devices, rhs for {}, experts for {} and weights for {}",
                    lhs.size(), rhs.size(), experts.size(), weights.size()))};
  }
  if (Diags diags = check_alike("lhs", lhs); !diags.empty()) return diags;
  if (Diags diags = check_alike("rhs", rhs); !diags.empty()) return diags;
  if (Diags diags = check_alike("experts", experts); !diags.empty()) return diags;
  return check_alike("weights", weights);
}

// The router's tables of one device; `count` experts.
Diags check_choices(const Tensor& experts, const Tensor& weights, std::int64_t tokens,
                    std::int64_t count) {
  const Expected<Routing> routing = route(experts, count);
  if (!routing) return routing.diags();
  if (experts.dim(0) != tokens) {
    return {error(fmt::format("experts are given for {} tokens, and lhs has {} rows",
                              experts.dim(0), tokens))};
  }
  if (experts.dim(1) == 0) return {error("every token has at least one expert, got top_k = 0")};
  if (weights.dtype() == DType::f32 && weights.shape() == experts.shape()) return {};
  return {error(fmt::format("weights are f32 of the shape of experts, {}, got {}{}",
                            to_string(experts.shape()), name(weights.dtype()),
                            to_string(weights.shape())))};
}

// Whether each device has room for all choices of its experts.
Diags check_capacity(const Routing& routing, const Tensor& rings, std::int64_t ring,
                     std::int64_t local, std::int64_t capacity) {
  for (std::int64_t place = 0; place < rings.dim(1); ++place) {
    std::int64_t rows = 0;
    for (std::int64_t e = 0; e < local; ++e)
      rows += routing.group_sizes.as<std::int32_t>()[place * local + e];
    if (rows <= capacity) continue;
    return {
        error(fmt::format("the experts of device {} are chosen {} times, more than its "
                          "capacity of {}",
                          device_at(rings, ring, place), rows, capacity))};
  }
  return {};
}

}  // namespace

Expected<RingOfExpertsCall> validate_ring_of_experts(Tensors lhs, Tensors rhs, Tensors experts,
                                                     Tensors weights, const Tensor& rings,
                                                     const RingOfExpertsOptions& options) {
  if (Diags diags = check_operands(lhs, rhs, experts, weights, rings); !diags.empty()) return diags;
  const std::int64_t length = rings.dim(1);
  const std::int64_t local = rhs[0].rank() == 3 ? rhs[0].dim(0) : 0, count = local * length;
  // The devices compute the sizes of the groups: the product is judged with empty groups.
  const Tensor no_rows(DType::i32, {count});
  Expected<GroupedDesc> product = validate_shard(lhs[0], rhs[0], no_rows, 0, options);
  if (!product) return product.diags();
  RingOfExpertsCall call{.product = *std::move(product)};
  for (std::size_t d = 0; d < lhs.size(); ++d) {
    Diags diags = check_choices(experts[d], weights[d], call.tokens(), count);
    for (Diag& diag : diags) diag.notes.push_back({{}, fmt::format("on device {}", d)});
    if (!diags.empty()) return diags;
  }
  call.top_k = experts[0].dim(1);
  call.capacity = options.capacity.value_or(length * call.tokens() * call.top_k);
  if (call.capacity < 0)
    return error(fmt::format("capacity must be at least 0, got {}", call.capacity));
  for (std::int64_t ring = 0; ring < rings.dim(0); ++ring) {
    const Tensor chosen =
        joined(rings, ring, 0, [&](std::size_t d) -> const Tensor& { return experts[d]; });
    Expected<Routing> routing = route(chosen, count);
    CHECK(routing);
    if (Diags diags = check_capacity(*routing, rings, ring, local, call.capacity); !diags.empty())
      return diags;
    call.routes.push_back(*std::move(routing));
  }
  return call;
}

}  // namespace tessera
