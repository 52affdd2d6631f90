// Tokens and the experts that a router chose for each, as rows sorted by expert.
#pragma once  // public
#include <cstdint>
#include <vector>

#include "core/data/tensor.h"
#include "core/report/expected.h"

namespace tessera {

// Choice i of the tokens is token i / top_k; rows are the choices in the order of their experts,
// choices of one expert in their own order.
struct Routing {
  std::int64_t top_k = 1;
  std::vector<std::int64_t> choice;  // by row
  Tensor group_sizes;                // i32 [experts]
};

// experts: i32 [tokens, top_k], each among 0 .. count.
Expected<Routing> route(const Tensor& experts, std::int64_t count);
// `top_k` different experts of `count` for every token, by seed, all equally likely.
Expected<Tensor> random_experts(std::int64_t tokens, std::int64_t top_k, std::int64_t count,
                                std::uint64_t seed);

// Each choice's token: [tokens, k] as [tokens * top_k, k], of the tokens that were routed.
Expected<Tensor> routed_rows(const Tensor& tokens, const Routing& routing);
// out[t] = sum over j of weights[t, j] * the row of choice (t, j), in f32 and in the order of j:
// rows f32 [tokens * top_k, n], weights f32 [tokens, top_k], out f32 [tokens, n].
Expected<Tensor> weighted_tokens(const Tensor& rows, const Routing& routing, const Tensor& weights);

}  // namespace tessera
