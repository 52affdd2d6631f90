#include "kernels/inputs/routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/data/splitmix.h"
#include "core/report/guarded.h"
#include "core/report/stop.h"

namespace tessera {

Expected<Routing> route(const Tensor& experts, std::int64_t count) try {
  if (experts.rank() != 2 || experts.dtype() != DType::i32) {
    return error(fmt::format("experts are i32 of shape (tokens, top_k), got {}{}",
                             name(experts.dtype()), to_string(experts.shape())));
  }
  Routing routing;
  routing.top_k = experts.dim(1);
  routing.group_sizes = Tensor(DType::i32, {count});
  const std::int32_t* const chosen = experts.as<std::int32_t>();
  for (std::int64_t i = 0; i < experts.elements(); ++i) {
    if (chosen[i] < 0 || chosen[i] >= count) {
      return error(fmt::format("token {} goes to expert {}, and there are {}", i / routing.top_k,
                               chosen[i], count));
    }
    ++routing.group_sizes.as<std::int32_t>()[chosen[i]];
  }
  routing.choice.resize(static_cast<std::size_t>(experts.elements()));
  std::iota(routing.choice.begin(), routing.choice.end(), std::int64_t{0});
  std::stable_sort(routing.choice.begin(), routing.choice.end(),
                   [&](std::int64_t a, std::int64_t b) { return chosen[a] < chosen[b]; });
  return routing;
} catch (...) {
  return given_up("routing tokens");
}

Expected<Tensor> random_experts(std::int64_t tokens, std::int64_t top_k, std::int64_t count,
                                std::uint64_t seed) try {
  if (top_k < 0 || top_k > count || count > INT32_MAX)
    return error(
        fmt::format("a token goes to {} different experts, and there are {}", top_k, count));
  Expected<Tensor> made = Tensor::allocate(DType::i32, {tokens, top_k});
  if (!made) return made.diags();
  Tensor& experts = *made;
  SplitMix random(seed);
  std::vector<std::int32_t> deck(static_cast<std::size_t>(count));
  std::iota(deck.begin(), deck.end(), 0);
  std::vector<std::size_t> swapped(static_cast<std::size_t>(top_k));
  for (std::int64_t t = 0; t < tokens; ++t) {
    leave_if_stopped();
    for (std::size_t j = 0; j < swapped.size(); ++j) {
      swapped[j] = j + random.next() % (deck.size() - j);
      std::swap(deck[j], deck[swapped[j]]);
      experts.as<std::int32_t>()[t * top_k + static_cast<std::int64_t>(j)] = deck[j];
    }
    // Restores the order of the deck for the next token.
    for (std::size_t j = swapped.size(); j-- > 0;) std::swap(deck[j], deck[swapped[j]]);
  }
  return made;
} catch (...) {
  return given_up("drawing experts");
}

Expected<Tensor> routed_rows(const Tensor& tokens, const Routing& routing) try {
  const auto count = static_cast<std::int64_t>(routing.choice.size());
  if (tokens.rank() != 2 || tokens.dim(0) * routing.top_k != count)
    return error(
        fmt::format("{} choices of {} for each token were routed, found tokens of shape {}", count,
                    routing.top_k, to_string(tokens.shape())));
  const std::int64_t k = tokens.dim(1), row = k * size_of(tokens.dtype());
  Tensor rows = Tensor::uninitialised(tokens.dtype(), {count, k});
  for (std::int64_t r = 0; r < count && row > 0; ++r)
    std::memcpy(rows.data() + r * row,
                tokens.data() + routing.choice[static_cast<std::size_t>(r)] / routing.top_k * row,
                static_cast<std::size_t>(row));
  return rows;
} catch (...) {
  return given_up("routing tokens");
}

Expected<Tensor> weighted_tokens(const Tensor& rows, const Routing& routing,
                                 const Tensor& weights) try {
  const auto choices = static_cast<std::int64_t>(routing.choice.size());
  const bool fits = rows.rank() == 2 && rows.dim(0) == choices && weights.rank() == 2 &&
                    weights.dim(1) == routing.top_k && weights.elements() == choices;
  if (!fits || rows.dtype() != DType::f32 || weights.dtype() != DType::f32)
    return error(fmt::format(
        "{} choices of {} for each token take as many f32 rows and weights of (tokens, {}), found "
        "rows {}{} and weights {}{}",
        choices, routing.top_k, routing.top_k, name(rows.dtype()), to_string(rows.shape()),
        name(weights.dtype()), to_string(weights.shape())));
  const std::int64_t n = rows.dim(1);
  Tensor out(DType::f32, {weights.dim(0), n});
  std::vector<std::int64_t> row_of(routing.choice.size());
  for (std::size_t r = 0; r < row_of.size(); ++r)
    row_of[static_cast<std::size_t>(routing.choice[r])] = static_cast<std::int64_t>(r);
  for (std::size_t i = 0; i < row_of.size(); ++i) {
    const float weight = weights.as<float>()[i];
    const float* const row = rows.as<float>() + row_of[i] * n;
    float* const sum = out.as<float>() + static_cast<std::int64_t>(i) / routing.top_k * n;
    for (std::int64_t c = 0; c < n; ++c) sum[c] += weight * row[c];
  }
  return out;
} catch (...) {
  return given_up("weighting tokens");
}

}  // namespace tessera
