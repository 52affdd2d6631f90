// Validation of a ring of experts.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/experts/ring_of_experts.h"
#include "kernels/grouped_matmul/validate.h"
#include "kernels/inputs/routing.h"

namespace tessera {

struct RingOfExpertsCall {
  GroupedDesc product;  // extents and tiles; m: tokens of a device
  std::int64_t top_k = 1, capacity = 0;
  std::vector<Routing> routes;  // routing of each ring's tokens, in the order of the places

  std::int64_t tokens() const { return product.m; }
};

// Checks the arguments of ring_of_experts() and returns its call. Fails if operands, rings, experts
// and options do not fit each other, and if a device needs more than its capacity.
Expected<RingOfExpertsCall> validate_ring_of_experts(
    std::span<const Tensor> lhs, std::span<const Tensor> rhs, std::span<const Tensor> experts,
    std::span<const Tensor> weights, const Tensor& rings, const RingOfExpertsOptions& options);

}  // namespace tessera
