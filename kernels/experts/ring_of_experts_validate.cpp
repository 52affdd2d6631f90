#include "kernels/experts/ring_of_experts_validate.h"

#include <fmt/format.h>

#include <utility>

#include "core/report/try.h"
#include "kernels/collective/rings.h"
#include "kernels/experts/sharded_validate.h"
#include "kernels/oracle/check_collective.h"

namespace tessera {
namespace {

using Tensors = std::span<const Tensor>;

Expected<void> check_operands(Tensors lhs, Tensors rhs, Tensors experts, Tensors weights,
                              const Tensor& rings) {
  TRY(check_rings(rings, lhs.size()));
  if (rhs.size() != lhs.size() || experts.size() != lhs.size() || weights.size() != lhs.size()) {
    return error(
        fmt::format("lhs is given for {} devices, rhs for {}, experts for {} and weights for {}",
                    lhs.size(), rhs.size(), experts.size(), weights.size()));
  }
  TRY(check_alike("lhs", lhs));
  TRY(check_alike("rhs", rhs));
  TRY(check_alike("experts", experts));
  return check_alike("weights", weights);
}

// Checks the router's tables of one device. count: number of experts.
Expected<void> check_choices(const Tensor& experts, const Tensor& weights, std::int64_t tokens,
                             std::int64_t count) {
  TRY(route(experts, count));
  if (experts.dim(0) != tokens) {
    return error(fmt::format("experts are given for {} tokens, and lhs has {} rows", experts.dim(0),
                             tokens));
  }
  if (experts.dim(1) == 0) return error("every token has at least one expert, got top_k = 0");
  if (weights.dtype() == DType::f32 && weights.shape() == experts.shape()) return {};
  return error(fmt::format("weights are f32 of the shape of experts, {}, got {}{}",
                           to_string(experts.shape()), name(weights.dtype()),
                           to_string(weights.shape())));
}

// Checks that each device has enough memory for the rows of its experts.
Expected<void> check_capacity(const Routing& routing, const Tensor& rings, std::int64_t ring,
                              std::int64_t local, std::int64_t capacity) {
  for (std::int64_t place = 0; place < rings.dim(1); ++place) {
    std::int64_t rows = 0;
    for (std::int64_t e = 0; e < local; ++e)
      rows += routing.group_sizes.as<std::int32_t>()[place * local + e];
    if (rows <= capacity) continue;
    return error(
        fmt::format("the experts of device {} are chosen {} times, more than its "
                    "capacity of {}",
                    device_at(rings, ring, place), rows, capacity));
  }
  return {};
}

}  // namespace

Expected<RingOfExpertsCall> validate_ring_of_experts(Tensors lhs, Tensors rhs, Tensors experts,
                                                     Tensors weights, const Tensor& rings,
                                                     const RingOfExpertsOptions& options) {
  TRY(check_operands(lhs, rhs, experts, weights, rings));
  const std::int64_t length = rings.dim(1);
  const std::int64_t local = rhs[0].rank() == 3 ? rhs[0].dim(0) : 0, count = local * length;
  // The devices compute the group sizes, so the product is validated with empty groups.
  const Tensor no_rows(DType::i32, {count});
  RingOfExpertsCall call{.product = TRY(validate_shard(lhs[0], rhs[0], no_rows, 0, options))};
  for (std::size_t d = 0; d < lhs.size(); ++d) {
    const Expected<void> chosen = check_choices(experts[d], weights[d], call.tokens(), count);
    if (chosen) continue;
    Diags diags = chosen.diags();
    for (Diag& diag : diags) diag.notes.push_back({{}, fmt::format("on device {}", d)});
    return diags;
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
    TRY(check_capacity(*routing, rings, ring, local, call.capacity));
    call.routes.push_back(*std::move(routing));
  }
  return call;
}

}  // namespace tessera
