// Mixture of experts with tokens and experts distributed over the devices of rings. Tokens are
// all-gathered, and each device computes the outputs of its own experts. The outputs are summed and
// reduce-scattered to the devices of the tokens. Follows MaxText's ring of experts.
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
  // Number of rows (pairs of a token and one of its experts) that a device has memory for. A call
  // that needs more is rejected; no row is dropped. None: all rows of a ring.
  std::optional<std::int64_t> capacity;
};

// out[d][t] = sum over j of weights[d][t, j] * lhs[d][t] . (matrix of expert experts[d][t, j]). The
// experts are divided equally; share p is at place p of a ring. On each device lhs is [tokens, k]
// and rhs [experts of the ring / length, k, n] of bf16, f16 or f32, experts i32 [tokens, top_k],
// weights f32 [tokens, top_k], and out f32 [tokens, n]. launch_ring_of_experts only prepares the
// launch, which the operands must outlive; ring_of_experts also runs it. Both fail if operands,
// rings, experts and options do not fit each other, if a device needs more than its capacity, and
// like choose_device().
Expected<Launch> launch_ring_of_experts(std::span<const Tensor> lhs, std::span<const Tensor> rhs,
                                        std::span<const Tensor> experts,
                                        std::span<const Tensor> weights, const Tensor& rings,
                                        const RingOfExpertsOptions& options = {});
Expected<std::vector<Tensor>> ring_of_experts(std::span<const Tensor> lhs,
                                              std::span<const Tensor> rhs,
                                              std::span<const Tensor> experts,
                                              std::span<const Tensor> weights, const Tensor& rings,
                                              const RingOfExpertsOptions& options = {});

// Returns the vector-Jacobian product for lhs and rhs. cotangent: cotangent of the result, f32
// [tokens, n] on each device. Fails like ring_of_experts(), and for a cotangent of another type or
// shape.
Expected<GroupedCollectiveGradients> ring_of_experts_vjp(
    std::span<const Tensor> cotangent, std::span<const Tensor> lhs, std::span<const Tensor> rhs,
    std::span<const Tensor> experts, std::span<const Tensor> weights, const Tensor& rings,
    const RingOfExpertsOptions& options = {});

// Compares the results of a completed launch with the weighted products in f64. The verdict is not
// ok if the arguments are not valid.
Verdict check_ring_of_experts(std::span<const Tensor> lhs, std::span<const Tensor> rhs,
                              std::span<const Tensor> experts, std::span<const Tensor> weights,
                              const Tensor& rings, const Launch& done,
                              const RingOfExpertsOptions& options, const CheckOptions& how);

}  // namespace tessera
