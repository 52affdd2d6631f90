// Routing of a mixture of experts: tokens as rows sorted by expert.
#pragma once  // public
#include <cstdint>
#include <vector>

#include "core/data/tensor.h"
#include "core/report/expected.h"

namespace tessera {

// Order of rows. Choice i is the (i mod top_k)-th expert of token i / top_k. Rows are all choices,
// sorted by expert, then by choice.
struct Routing {
  std::int64_t top_k = 1;            // experts per token
  std::vector<std::int64_t> choice;  // choice of each row [tokens * top_k]
  Tensor group_sizes;                // rows of each expert, i32 [experts]
};

// Returns the routing of `experts`, i32 [tokens, top_k]. count: number of experts. Fails for
// another type or rank, and for experts outside 0 .. count - 1.
Expected<Routing> route(const Tensor& experts, std::int64_t count);
// Returns i32 [tokens, top_k]: for each token `top_k` different experts of `count`, all equally
// likely. Fails if top_k is negative or exceeds count, if the experts do not fit into memory, and
// with ErrorCode::interrupted if a stop is requested.
Expected<Tensor> random_experts(std::int64_t tokens, std::int64_t top_k, std::int64_t count,
                                std::uint64_t seed);

// Returns the token of each row: [tokens, k] becomes [tokens * top_k, k]. Fails if the routing has
// another number of tokens.
Expected<Tensor> routed_rows(const Tensor& tokens, const Routing& routing);
// Returns out[t] = sum over j of weights[t, j] * (row of choice (t, j)), in f32 and in the order of
// j. rows: f32 [tokens * top_k, n], weights: f32 [tokens, top_k], out: f32 [tokens, n]. Fails for
// other types and shapes.
Expected<Tensor> weighted_tokens(const Tensor& rows, const Routing& routing, const Tensor& weights);

}  // namespace tessera
