// Mixture of experts whose tokens and experts are both distributed over the devices of rings:
// tokens are all-gathered, each device computes the outputs of its own experts, and their sums are
// reduce-scattered to the devices of the tokens. After MaxText's ring of experts.
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

// Options of ring_of_experts.
struct RingOfExpertsOptions : GroupedCollectiveOptions {
  // How many rows (a token with one of its experts) a device has memory for; a call that needs more
  // is refused, none is dropped. None: all rows of a ring.
  std::optional<std::int64_t> capacity;
};

// out[d][t] = sum over j of weights[d][t, j] * lhs[d][t] . (matrix of expert experts[d][t, j]),
// where the p-th of the equal shares of the experts is at place p of a ring. On each device lhs is
// [tokens, k] and rhs [experts of the ring / length, k, n] of bf16, f16 or f32, experts i32
// [tokens, top_k], weights f32 [tokens, top_k], and out f32 [tokens, n]. The first function
// prepares the launch, the second one runs it. Errors are operands, rings, experts and options that
// do not fit.
Expected<Launch> launch_ring_of_experts(std::span<const Tensor> lhs, std::span<const Tensor> rhs,
                                        std::span<const Tensor> experts,
                                        std::span<const Tensor> weights, const Tensor& rings,
                                        const RingOfExpertsOptions& options = {});
Expected<std::vector<Tensor>> ring_of_experts(std::span<const Tensor> lhs,
                                              std::span<const Tensor> rhs,
                                              std::span<const Tensor> experts,
                                              std::span<const Tensor> weights, const Tensor& rings,
                                              const RingOfExpertsOptions& options = {});

// The vector-Jacobian product for lhs and rhs: `cotangent` is that of the result, f32 [tokens, n]
// on each device.
Expected<GroupedCollectiveGradients> ring_of_experts_vjp(
    std::span<const Tensor> cotangent, std::span<const Tensor> lhs, std::span<const Tensor> rhs,
    std::span<const Tensor> experts, std::span<const Tensor> weights, const Tensor& rings,
    const RingOfExpertsOptions& options = {});

// Judges the results of a launch that ran against the weighted products in f64.
Verdict check_ring_of_experts(std::span<const Tensor> lhs, std::span<const Tensor> rhs,
                              std::span<const Tensor> experts, std::span<const Tensor> weights,
                              const Tensor& rings, const Launch& done,
                              const RingOfExpertsOptions& options, const CheckOptions& how);

}  // namespace tessera
