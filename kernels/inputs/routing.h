// The routing of a mixture of experts: tokens as rows that are sorted by expert.
#pragma once  // public
#include <cstdint>
#include <vector>

#include "core/data/tensor.h"
#include "core/report/expected.h"

namespace tessera {

// The order of rows. Choice i is the (i mod top_k)-th expert of token i / top_k; rows are all
// choices in the order of their experts, those of one expert in ascending order.
struct Routing {
  std::int64_t top_k = 1;            // experts of each token
  std::vector<std::int64_t> choice;  // the choice of each row [tokens * top_k]
  Tensor group_sizes;                // rows of each expert, i32 [experts]
};

// The routing of `experts`, i32 [tokens, top_k]. Errors are another type or rank, and experts
// outside 0 .. count - 1.
Expected<Routing> route(const Tensor& experts, std::int64_t count);
// i32 [tokens, top_k]: for each token `top_k` different experts of `count`, all equally likely, by
// seed. An error when top_k exceeds count.
Expected<Tensor> random_experts(std::int64_t tokens, std::int64_t top_k, std::int64_t count,
                                std::uint64_t seed);

// The token of each row: [tokens, k] becomes [tokens * top_k, k]. An error where the number of
// tokens is not that of the routing.
Expected<Tensor> routed_rows(const Tensor& tokens, const Routing& routing);
// out[t] = sum over j of weights[t, j] * the row of choice (t, j), in f32 and in the order of j:
// rows f32 [tokens * top_k, n], weights f32 [tokens, top_k], out f32 [tokens, n].
Expected<Tensor> weighted_tokens(const Tensor& rows, const Routing& routing, const Tensor& weights);

}  // namespace tessera
