// Mixture of experts whose tokens and experts are both shared by the devices of rings: tokens are
// gathered, each device adds what its own experts give, and the shards' sums go back to the tokens'
// devices. After MaxText's ring of experts.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/experts/sharded_grouped_matmul.h"
#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera {

// capacity: the choices of its experts that a device has room for, and more are refused, not
// dropped; none: all those of a ring.
struct RingOfExpertsOptions : GroupedCollectiveOptions {
  std::optional<std::int64_t> capacity;
};

// out[d][t] = sum over j of weights[d][t, j] * lhs[d][t] . (matrix of expert experts[d][t, j]):
// place p of a ring holds the p-th equal share of its experts. On each device lhs [tokens, k] and
// rhs [experts of the ring / length, k, n] of bf16, f16 or f32, experts i32 [tokens, top_k],
// weights f32 [tokens, top_k]; out f32 [tokens, n].
Expected<Launch> launch_ring_of_experts(std::span<const Tensor> lhs, std::span<const Tensor> rhs,
                                        std::span<const Tensor> experts,
                                        std::span<const Tensor> weights, const Tensor& rings,
                                        const RingOfExpertsOptions& options = {});
Expected<std::vector<Tensor>> ring_of_experts(std::span<const Tensor> lhs,
                                              std::span<const Tensor> rhs,
                                              std::span<const Tensor> experts,
                                              std::span<const Tensor> weights, const Tensor& rings,
                                              const RingOfExpertsOptions& options = {});

// Cotangents of lhs and rhs, of each device, for those of the results (f32 [tokens, n]).
Expected<GroupedCollectiveGradients> ring_of_experts_vjp(
    std::span<const Tensor> cotangent, std::span<const Tensor> lhs, std::span<const Tensor> rhs,
    std::span<const Tensor> experts, std::span<const Tensor> weights, const Tensor& rings,
    const RingOfExpertsOptions& options = {});

// The results of a launch, ring by ring, against the weighted products in f64.
Verdict check_ring_of_experts(std::span<const Tensor> lhs, std::span<const Tensor> rhs,
                              std::span<const Tensor> experts, std::span<const Tensor> weights,
                              const Tensor& rings, const Launch& done,
                              const RingOfExpertsOptions& options, const CheckOptions& how);

}  // namespace tessera
